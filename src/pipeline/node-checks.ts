import { z } from 'zod'
import type { FieldError } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { CHUNK_DEFAULTS } from './chunk/settings.ts'
import { maxOverlap } from './chunk/split-text.ts'
import { isEmbeddingProvider } from './embed/known-models.ts'
import {
  contextProblems,
  embeddingProblems,
  enrichmentProblems,
  usesVisionModel,
  visionProblems,
} from './model-nodes.ts'
import type { ConfiguredProviders } from './models/providers.ts'
import { LOCAL_MODELS, NODE_SETTINGS } from './node-settings.ts'
import { missingLanguages } from './partition/files/ocr/languages.ts'

/** A valid node; `label` names it in messages. */
export type RawNode = {
  id: string | undefined
  name: string
  type: string
  subtype: string
  settings: Record<string, unknown>
  label: string
}

type Loc = (string | number)[]
type Problem = { at: string[]; msg: string; type?: string }

const TYPES = {
  partition: { name: 'Partitioner', subtype: 'auto' },
  prompter: { name: 'Enrichment', subtype: '' },
  chunk: { name: 'Chunker', subtype: 'chunk_by_title' },
  embed: { name: 'Embedder', subtype: 'local' },
}
/** Providers of other systems that Millrace has no client for. */
const UNAVAILABLE_PROVIDERS = ['vertexai', 'ibm']
const KEYS = ['id', 'name', 'type', 'subtype', 'settings']

/** `label` names the node where only a line is shown, without the path. */
export type NodeError = FieldError & { label?: string }

/** Checks one node; `parseNodes` checks the order. */
export function checkNode(
  input: unknown,
  index: number,
  { loc, configured }: { loc: Loc; configured: ConfiguredProviders },
): { node?: RawNode; fields: NodeError[] } {
  const position = `node ${index + 1}`
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { fields: [{ loc: [...loc, index], msg: `${position} has to be an object`, type: 'dict_type' }] }
  }
  const node = readNode(input as Record<string, unknown>, position)
  const problems = [...shapeProblems(input as Record<string, unknown>), ...typeProblems(node, configured)]
  const fields = problems.map(({ at, msg, type }) => ({
    loc: [...loc, index, ...at],
    msg,
    type: type ?? 'value_error',
    label: node.label,
  }))
  return { node, fields }
}

function readNode(raw: Record<string, unknown>, position: string): RawNode {
  const text = (key: string) => {
    const value = raw[key]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  // A published sample swaps the two names.
  const isSwapped = raw.subtype === 'partition' && raw.type === 'vlm'
  const type = isSwapped ? 'partition' : (text('type') ?? '')
  const defaults = Object.hasOwn(TYPES, type) ? TYPES[type as keyof typeof TYPES] : undefined
  const name = text('name') ?? defaults?.name ?? ''
  const { settings } = raw
  return {
    // Lower case, as the database returns it.
    id: text('id')?.toLowerCase(),
    name,
    type,
    subtype: isSwapped ? 'vlm' : (text('subtype') ?? defaults?.subtype ?? ''),
    settings: isRecord(settings) ? settings : {},
    label: name === '' ? position : `${position} (${JSON.stringify(name.slice(0, 100))})`,
  }
}

function shapeProblems(raw: Record<string, unknown>): Problem[] {
  const problems: Problem[] = []
  for (const key of Object.keys(raw)) {
    if (!KEYS.includes(key)) problems.push(unknown([key], key, KEYS))
  }
  for (const key of ['id', 'name', 'type', 'subtype']) {
    const value = raw[key]
    if (value !== undefined && value !== null && typeof value !== 'string') {
      problems.push({ at: [key], msg: `${key} has to be a string`, type: 'string_type' })
    }
  }
  if (typeof raw.id === 'string' && raw.id !== '' && !z.guid().safeParse(raw.id).success) {
    problems.push({ at: ['id'], msg: 'id has to be a UUID', type: 'uuid_parsing' })
  }
  if (typeof raw.name === 'string' && raw.name.length > 500) {
    problems.push({ at: ['name'], msg: 'name has at most 500 characters', type: 'string_too_long' })
  }
  if (!isEmpty(raw.settings) && !isRecord(raw.settings)) {
    problems.push({ at: ['settings'], msg: 'settings has to be an object', type: 'dict_type' })
  }
  return problems
}

function typeProblems({ type, subtype, settings }: RawNode, configured: ConfiguredProviders): Problem[] {
  if (!Object.hasOwn(NODE_SETTINGS, type)) {
    const known = Object.keys(TYPES)
    return [{ at: ['type'], msg: choiceMessage('type', type, known), type: type === '' ? 'missing' : 'enum' }]
  }
  const subtypes: Record<string, Record<string, z.ZodType>> = NODE_SETTINGS[
    type as keyof typeof NODE_SETTINGS
  ]
  const schema = Object.hasOwn(subtypes, subtype) ? subtypes[subtype] : undefined
  if (!schema) {
    const [provider = ''] = subtype.split('_')
    if ((type === 'prompter' || type === 'embed') && UNAVAILABLE_PROVIDERS.includes(provider)) {
      const msg = `${provider} is not available; use a provider that is: ${Object.keys(subtypes).join(', ')}`
      return [{ at: ['subtype'], msg, type: 'enum' }]
    }
    return [{ at: ['subtype'], msg: choiceMessage('subtype', subtype, Object.keys(subtypes)), type: 'enum' }]
  }
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => !isEmpty(value)))
  const problems = settingProblems(given, schema)
  return problems.length > 0 ? problems : combinationProblems({ type, subtype, given }, configured)
}

function settingProblems(given: Record<string, unknown>, schema: Record<string, z.ZodType>): Problem[] {
  return Object.entries(given).flatMap(([key, value]): Problem[] => {
    const rule = Object.hasOwn(schema, key) ? schema[key] : undefined
    if (!rule) return [unknown(['settings', key.slice(0, 100)], key, Object.keys(schema))]
    const result = rule.safeParse(value)
    if (result.success) return []
    return result.error.issues.map((issue) => ({
      at: ['settings', key, ...issue.path.map(String)],
      msg: `${key}: ${issue.message}`,
    }))
  })
}

/** Settings that are valid separately but not together, and models that are not available. */
function combinationProblems(
  { type, subtype, given }: { type: string; subtype: string; given: Record<string, unknown> },
  configured: ConfiguredProviders,
): Problem[] {
  if (type === 'embed' && isEmbeddingProvider(subtype)) return embeddingProblems(subtype, given, configured)
  if (type === 'embed') return modelProblems(given.model_name)
  if (type === 'prompter') return enrichmentProblems(subtype, given, configured)
  if (type === 'partition') return strategyProblems({ subtype, given }, configured)
  const problems: Problem[] = contextProblems(given, configured)
  const max = Number(given.max_characters ?? CHUNK_DEFAULTS.max_characters)
  if (Number(given.overlap ?? 0) > maxOverlap(max)) {
    const msg = `overlap has to be less than max_characters (${max}), at most three quarters of it (${maxOverlap(max)})`
    problems.push({ at: ['settings', 'overlap'], msg })
  }
  if (Number(given.combine_text_under_n_chars ?? 0) > max) {
    const msg = `combine_text_under_n_chars can be at most max_characters (${max})`
    problems.push({ at: ['settings', 'combine_text_under_n_chars'], msg })
  }
  return problems
}

function strategyProblems(
  { subtype, given }: { subtype: string; given: Record<string, unknown> },
  configured: ConfiguredProviders,
): Problem[] {
  const unknown = Array.isArray(given.ocr_languages)
    ? missingLanguages(given.ocr_languages.map(String))
    : null
  if (unknown) return [{ at: ['settings', 'ocr_languages'], msg: unknown }]
  if (usesVisionModel(subtype, given))
    return visionProblems(given, configured, subtype === 'vlm' ? ['subtype'] : ['settings', 'strategy'])
  if (given.strategy === 'ocr_only' || given.strategy === 'od_only') {
    const msg = `the strategy ${given.strategy} is not available; use auto, fast or hi_res`
    return [{ at: ['settings', 'strategy'], msg }]
  }
  return []
}

function modelProblems(model: unknown): Problem[] {
  if (model === undefined || Object.hasOwn(LOCAL_MODELS, String(model).toLowerCase())) return []
  const known = Object.keys(LOCAL_MODELS)
  return [
    { at: ['settings', 'model_name'], msg: choiceMessage('model_name', String(model), known), type: 'enum' },
  ]
}

function unknown(at: string[], key: string, known: string[]): Problem {
  const near = nearest(key, known)
  const hint = near ? `did you mean "${near}"?` : `the known ones are ${known.join(', ')}`
  return { at, msg: `unknown setting ${JSON.stringify(key.slice(0, 100))}; ${hint}`, type: 'extra_forbidden' }
}

function choiceMessage(field: string, given: string, known: string[]): string {
  if (given === '') return `${field} is missing; it is one of ${known.join(', ')}`
  const near = nearest(given, known)
  const hint = near ? `did you mean "${near}"?` : `it is one of ${known.join(', ')}`
  return `${field} ${JSON.stringify(given.slice(0, 100))} is not known; ${hint}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
