/** Results of connection checks, and warnings of jobs. */
export type CheckStep = {
  name: string
  status: 'ok' | 'failed' | 'warning' | 'skipped' | 'pending'
  detail: string
  fix?: string
}
export type CheckReport = { ok: boolean; reason: string | null; steps: CheckStep[] }

/** Called before the first step and after every step with all steps; those still to come are pending. */
export type OnSteps = (steps: CheckStep[]) => void

export function pending(name: string): CheckStep {
  return { name, status: 'pending', detail: '' }
}

/** Something a job could not do exactly, other than a failed document. */
export type Warning = {
  code: string
  message: string
  documents?: number
  /** The field of the source that it is about. */
  setting?: string
  limit?: Limit
}

/** A limit that left something out: documents, or scopes. `left_out` is null if the number is unknown. */
export type Limit = {
  kind: 'documents_per_scope' | 'scopes' | 'file_size' | 'destination_documents'
  /** The field of the source that raises it; null if it is fixed. */
  setting: string | null
  scope: string | null
  left_out: number | null
  /** What is left out: a singular lower-case noun. */
  noun: string
}

/** What limits left out of a run; `documents` is null if the number is unknown. */
export type Incomplete = { documents: number | null; limits: (Limit & { source_id: string | null })[] }

export function incompleteOf(warnings: Warning[], sourceId: string | null): Incomplete | null {
  const limits = new Map<string, Limit>()
  for (const { limit } of warnings) if (limit) limits.set(`${limit.kind} ${limit.scope}`, limit)
  if (limits.size === 0) return null
  const all = [...limits.values()]
  const documents = all.map(({ kind, left_out: leftOut }) => (kind === 'scopes' ? null : leftOut))
  return {
    documents: documents.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0),
    limits: all.map((limit) => ({ ...limit, source_id: sourceId })),
  }
}

/** Documents that a fixed limit left out, by error code. */
export const LIMIT_ERRORS = ['file_too_large', 'destination_full'] as const

export function limitWarning(code: (typeof LIMIT_ERRORS)[number], documents: number): Warning {
  const kind = code === 'file_too_large' ? 'file_size' : 'destination_documents'
  const what =
    code === 'file_too_large'
      ? `${countOf(documents, 'file')} ${documents === 1 ? 'is' : 'are'} larger than Millrace reads and left out`
      : `${countOf(documents, 'document')} ${documents === 1 ? 'is' : 'are'} left out, because the destination is full`
  const noun = code === 'file_too_large' ? 'file' : 'document'
  const limit = { kind, setting: null, scope: null, left_out: documents, noun } as const
  return { code, message: what, documents, limit }
}

/** Warnings that a part of the source was not listed. */
const INCOMPLETE_CODES = new Set([
  'space_not_listed',
  'listing_broken',
  'documents_hidden',
  'files_not_listed',
])

export function isListingIncomplete(warnings: Warning[]): boolean {
  return warnings.some(({ code }) => INCOMPLETE_CODES.has(code))
}

/** Missing parts of one kind. `names`: the macros left out, each with its number of documents. */
export type MissingParts = {
  code: string
  count: number
  documents: number
  message: string
  names?: { name: string; documents: number }[]
}

export function macrosDropped(names: string[]): string {
  return `Content of other pages or systems is left out: ${names.join(', ')}`
}

/** One warning for all missing parts of one kind in a job. */
export function missingWarning(missing: MissingParts): Warning {
  const { code, count, documents, message, names = [] } = missing
  if (code === 'macros_dropped') return { code, message: macrosDropped(namesWithCounts(names)), documents }
  const { thing, on, document } = WORDS.get(code) ?? { thing: 'part', on: 'of', document: 'document' }
  const what = `${countOf(count, thing)} ${on} ${countOf(documents, document)} could not be included`
  const outcome = documents === 1 ? `the ${document} is written` : `the ${document}s are written`
  const example = count === 1 ? message : `One of them: ${message}`
  return {
    code,
    message: `${what}; ${outcome} without ${count === 1 ? 'it' : 'them'}. ${example}`,
    documents,
  }
}

const WORDS = new Map([
  ['names_missing', { thing: 'name', on: 'on', document: 'page' }],
  ['images_missing', { thing: 'image', on: 'on', document: 'page' }],
  ['attachments_left', { thing: 'attachment', on: 'of', document: 'email' }],
  ['archive_files_left', { thing: 'file', on: 'of', document: 'archive' }],
  ['pages_without_text', { thing: 'page', on: 'of', document: 'file' }],
  ['pictures_not_read', { thing: 'picture', on: 'on', document: 'page' }],
])

const MAX_NAMED = 20

/** The most frequent first: `children (12 documents), jira (3)`. */
function namesWithCounts(names: { name: string; documents: number }[]): string[] {
  const sorted = names.toSorted((a, b) => b.documents - a.documents || (a.name < b.name ? -1 : 1))
  const shown = sorted.slice(0, MAX_NAMED).map(({ name, documents }, at) => {
    return `${name} (${at === 0 ? countOf(documents, 'document') : documents.toLocaleString('en')})`
  })
  const more = sorted.length - shown.length
  return more > 0 ? [...shown, `and ${more} more`] : shown
}

export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
