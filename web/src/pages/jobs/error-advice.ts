import { jobTexts } from '../../texts/jobs.ts'

const { errors, said } = jobTexts

/** Their messages name the host or the space. */
const DETAILED = new Set([
  'source_unreachable',
  'source_space_missing',
  'source_filter_wrong',
  'source_not_a_wiki',
  'egress_refused',
])

/** What went wrong, in words of the screen; most messages of the service use names of its API. */
export function errorWords(code: string, message?: string | null): { name: string; fix: string } {
  const words = (Object.hasOwn(errors, code) ? errors[code] : errors.internal) ?? { name: code, fix: '' }
  if (!DETAILED.has(code) || !message) return words
  return { name: words.name, fix: jobTexts.detailed(words.fix, sentence(message)) }
}

export function errorName(code: string): string {
  return errorWords(code).name
}

/** Service messages start lowercase and have no full stop. */
export function sentence(text: string): string {
  // Setting names keep their spelling.
  const capital = /^\w*_/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?)]$/.test(capital) ? capital : `${capital}.`
}

/** Warnings in words of the screen where the service uses names of its API, or another language. */
export function warningWords(code: string, message: string): string {
  const words = Object.hasOwn(said, code) ? said[code] : undefined
  return words?.(message) ?? message
}
