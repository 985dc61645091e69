import type { IndexSettings, SearchEngine } from '../engines/engine.ts'
import type { Field } from './field.ts'
import {
  ACCESS,
  fieldsFor,
  isWriterList,
  type Mapping,
  nest,
  PERMISSION_FIELDS,
  schemaFor,
} from './schema.ts'

/** `unknown` in a check, which knows no workflow. */
export type ExpectedDims = number | null | 'unknown'

export type ExistingIndex = { mapping: Mapping; settings: IndexSettings; engine: SearchEngine }

export type SchemaPlan = {
  /** Every reason why the index cannot be used; if there is one, nothing is written. */
  problems: string[]
  /** The schema or the missing fields to add; null if none. */
  add: Mapping | null
  /** Missing fields that documents need; the others are optional. */
  required: string[]
}

/** What an index lacks before the first document, and what prevents adding it. */
export function planSchema(index: ExistingIndex, expectedDims: ExpectedDims): SchemaPlan {
  const { mapping, settings, engine } = index
  const dims = expectedDims === 'unknown' ? null : expectedDims
  const shape = [dims, engine, settings] as const
  const present = flatten(mapping)
  const problems = [...sourceProblems(mapping, settings), ...replacedFieldProblems(mapping, present)]
  problems.push(...vectorProblems(index, expectedDims))
  if (present.size === 0) {
    return { problems, add: schemaFor(...shape), required: Object.keys(fieldsFor(...shape)) }
  }

  const wanted = Object.entries(fieldsFor(...shape))
  for (const [path, field] of wanted) {
    const problem = fieldProblem(path, field, present)
    if (problem && !problems.includes(problem)) problems.push(problem)
  }
  const missing = wanted.filter(([path]) => !present.has(path))
  const isRequired = (path: string) => path in PERMISSION_FIELDS || path === 'embeddings'
  const refused = missing
    .map(([path]) => path)
    .filter((path) => !isRequired(path) && isStrictAt(path, mapping, present))
  if (refused.length > 0) problems.push(strictProblem(refused))
  return {
    problems,
    add: missing.length > 0 ? { properties: nest(Object.fromEntries(missing)) } : null,
    required: missing.map(([path]) => path).filter(isRequired),
  }
}

/** The dimension of the vectors that the index takes. */
export function dimsOf({ mapping, engine }: ExistingIndex): number | null {
  const field = mapping.properties?.embeddings
  return field?.type === engine.vectorType ? engine.dimsOf(field) : null
}

/** The dimension of the vectors, or null if they cannot be searched. */
export function searchableDims(index: ExistingIndex): number | null {
  const field = index.mapping.properties?.embeddings
  return field && index.engine.canSearch(field, index.settings) ? dimsOf(index) : null
}

/** True if the index was created without vector support. */
export function lacksVectorSupport({ mapping, settings, engine }: ExistingIndex): boolean {
  return mapping.properties?.embeddings === undefined && !engine.canAddVectors(settings)
}

type Present = Map<string, { field: Field; isObject: boolean }>

function flatten(mapping: Mapping): Present {
  const present: Present = new Map()
  const walk = (properties: Record<string, Field> | undefined, prefix: string) => {
    for (const [name, field] of Object.entries(properties ?? {})) {
      const isObject = field.type === 'object' || field.type === undefined
      present.set(prefix + name, { field, isObject })
      walk(field.properties, `${prefix}${name}.`)
    }
  }
  walk(mapping.properties, '')
  return present
}

/**
 * A permission change rewrites elements as read, so `_source` must be complete. Since 8.17 an index setting
 * overrides the mapping.
 */
function* sourceProblems({ _source }: Mapping, settings: IndexSettings): Iterable<string> {
  const { enabled, includes = [], excludes = [], mode } = _source ?? {}
  const sourceMode =
    settings.mapping?.source?.mode ??
    mode ??
    (SYNTHETIC.includes(settings.mode ?? '') ? 'synthetic' : 'stored')
  if (sourceMode === 'synthetic') {
    const where = settings.mapping?.source?.mode
      ? 'index.mapping.source.mode'
      : mode
        ? '_source.mode'
        : 'index.mode'
    yield `its _source is synthetic (${where}), so documents are not stored as written and their permissions could not be changed`
    return
  }
  const whole = enabled !== false && includes.length + excludes.length === 0 && sourceMode === 'stored'
  if (!whole) yield 'its _source does not store complete documents, so their permissions could not be changed'
}

/** Index modes with synthetic `_source` by default. */
const SYNTHETIC = ['logsdb', 'time_series']

/** Computed or copied fields would let a filter match entries that were never written. */
function* replacedFieldProblems({ enabled, runtime, derived }: Mapping, present: Present): Iterable<string> {
  if (enabled === false) yield 'its mapping is switched off, so nothing can be found'
  for (const path of Object.keys({ ...runtime, ...derived })) {
    if (path in PERMISSION_FIELDS) yield `${path} is computed at query time, which hides the stored values`
  }
  for (const [path, { field }] of present) {
    const target = [field.copy_to ?? []].flat().find((name) => name in PERMISSION_FIELDS)
    if (target) yield `${path} is copied into ${target}, which would grant access to its values`
  }
}

function* vectorProblems(index: ExistingIndex, expectedDims: ExpectedDims): Iterable<string> {
  const { mapping, engine } = index
  const field = mapping.properties?.embeddings
  if (expectedDims === null) return
  if (!field) {
    if (expectedDims !== 'unknown' && lacksVectorSupport(index)) yield NO_VECTOR_SUPPORT
    return
  }
  if (field.type !== engine.vectorType) {
    yield `embeddings is mapped as ${field.type ?? 'object'}, not as ${engine.vectorType}`
    return
  }
  const dims = engine.dimsOf(field)
  if (expectedDims === 'unknown' || dims === expectedDims) return
  yield `embeddings holds vectors of ${dims ?? 'unknown'} dimensions, the workflow creates ${expectedDims}`
}

export const NO_VECTOR_SUPPORT =
  'it was created without index.knn, which vectors need and which cannot be added later'

function fieldProblem(path: string, wanted: Field, present: Present): string | null {
  const blocking = ancestors(path).find((name) => hidesContents(name, present))
  if (blocking) return `${blocking} is not a plain object, so it cannot hold ${path}`
  const existing = present.get(path)
  if (!existing || path === 'embeddings') return null
  if (path in PERMISSION_FIELDS) return permissionProblem(path, existing.field)
  const type = existing.isObject ? 'object' : (existing.field.type ?? 'object')
  return accepts(wanted.type ?? 'object', type)
    ? null
    : `${path} is mapped as ${type}, which cannot hold its values`
}

function permissionProblem(path: string, field: Field): string | null {
  if (field.type !== 'keyword') return `${path} is mapped as ${field.type ?? 'object'}; it must be keyword`
  if (field.null_value !== undefined)
    return `${path} has a null_value, which adds an entry that was never written`
  if (field.normalizer) return `${path} has a normalizer, which makes different ids equal`
  if (!isWriterList(path) && field.index === false && field.doc_values === false)
    return `${path} cannot be searched`
  // 8191 characters always fit a keyword's 32766 bytes.
  if (path.startsWith(ACCESS) && field.ignore_above !== undefined && field.ignore_above < 8191) {
    return `${path} ignores entries above ${field.ignore_above} characters, which would open documents to everyone`
  }
  return null
}

const TEXTUAL = [
  'text',
  'keyword',
  'wildcard',
  'match_only_text',
  'search_as_you_type',
  'annotated_text',
  'semantic_text',
]
const NUMERIC = [
  'integer',
  'long',
  'short',
  'byte',
  'float',
  'double',
  'half_float',
  'scaled_float',
  'unsigned_long',
]

/** Whether a field of one type can hold values of another. */
function accepts(wanted: string, existing: string): boolean {
  if (TEXTUAL.includes(existing)) return true
  if (wanted === 'integer') return NUMERIC.includes(existing)
  if (wanted === 'date') return existing === 'date' || existing === 'date_nanos'
  return wanted === existing
}

/** Nested, flattened and disabled fields hide their contents from a plain filter. */
function hidesContents(path: string, present: Present): boolean {
  const existing = present.get(path)
  if (!existing) return false
  const { field, isObject } = existing
  return !isObject || field.enabled === false
}

function isStrictAt(path: string, mapping: Mapping, present: Present): boolean {
  for (const name of ancestors(path).reverse()) {
    const dynamic = present.get(name)?.field.dynamic
    if (dynamic !== undefined) return dynamic === 'strict'
  }
  return mapping.dynamic === 'strict'
}

function strictProblem(refused: string[]): string {
  const rest = refused.length > 3 ? ` and ${refused.length - 3} more` : ''
  return `its mapping is strict and does not know ${refused.slice(0, 3).join(', ')}${rest}`
}

/** `a.b.c` → `a`, `a.b` */
function ancestors(path: string): string[] {
  const names = path.split('.')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'))
}
