import { jobTexts } from '../../../texts/jobs.ts'
import { stateTexts } from '../../../texts/states.ts'
import { errorName, warningWords } from '../error-advice.ts'
import type { LogLevel } from '../types.ts'

const { log: texts } = jobTexts

export type LogLine = {
  key: string
  at: string | null
  level: LogLevel
  /** What happened, in words. */
  text: string
  /** Names the document, if the line is about one. */
  document: { recordId: string; title: string } | null
  raw: string
}

/** Lines of the service's log in words; a line that cannot be read is shown as it is. */
export function logLines(text: string): LogLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((raw, index) => toLine(raw, index))
}

function toLine(raw: string, index: number): LogLine {
  const entry = parsed(raw)
  const recordId = textIn(entry, 'record_id')
  return {
    key: `${recordId || index} ${textIn(entry, 'event')}`,
    at: textIn(entry, 'at') || null,
    level: entry.level === 'error' || entry.level === 'warning' ? entry.level : 'info',
    text: wordsOf(entry) || raw,
    document: recordId ? { recordId, title: textIn(entry, 'title') } : null,
    raw,
  }
}

function wordsOf(entry: Record<string, unknown>): string {
  const event = textIn(entry, 'event')
  if (event === 'document') return documentWords(entry)
  if (event === 'warning') return warningWords(textIn(entry, 'code'), textIn(entry, 'message'))
  const name = Object.hasOwn(texts.events, event) ? texts.events[event] : event
  if (!name) return ''
  if (event === 'settings') return `${name}: ${settingsWords(entry)}`
  return [name, stateWord(textIn(entry, 'processing_status'))].filter(Boolean).join(': ')
}

/** Errors by their code: their messages use names of the API. */
function documentWords(entry: Record<string, unknown>): string {
  const code = textIn(objectOf(entry.error), 'code')
  const warnings = Array.isArray(entry.warnings)
    ? entry.warnings.map(objectOf).map((each) => warningWords(textIn(each, 'code'), textIn(each, 'message')))
    : []
  const elements = typeof entry.elements === 'number' ? [texts.elements(entry.elements)] : []
  const state = stateWord(textIn(entry, 'state'))
  return [state, ...elements, code && errorName(code), ...warnings].filter(Boolean).join('. ')
}

function settingsWords({ nodes }: Record<string, unknown>): string {
  const names = Array.isArray(nodes) ? nodes.map((node) => textIn(objectOf(node), 'name')) : []
  return names.filter(Boolean).join(', ')
}

function stateWord(state: string): string {
  return Object.hasOwn(stateTexts, state) ? stateTexts[state as keyof typeof stateTexts] : state
}

function parsed(line: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(line))
  } catch {
    return {}
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function textIn(from: Record<string, unknown>, name: string): string {
  const value = from[name]
  return typeof value === 'string' ? value : ''
}
