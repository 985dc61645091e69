/** Results of connection checks, and warnings of jobs. */
export type CheckStep = {
  name: string
  status: 'ok' | 'failed' | 'warning' | 'skipped' | 'pending'
  detail: string
  fix?: string
}
export type CheckReport = { ok: boolean; reason: string | null; steps: CheckStep[] }

/** Called after every step, with the steps still to come. */
export type OnSteps = (steps: CheckStep[]) => void

export function pending(name: string): CheckStep {
  return { name, status: 'pending', detail: '' }
}

/** Something a job could not do exactly, other than a failed document. */
export type Warning = { code: string; message: string; documents?: number }

/** Warnings that a part of the source was not seen. */
const INCOMPLETE = new Set(['space_not_listed', 'listing_broken', 'documents_hidden', 'files_not_listed'])

export function saysIncomplete(warnings: Warning[]): boolean {
  return warnings.some(({ code }) => INCOMPLETE.has(code))
}

/** Missing things of one kind; `names` counts the documents of each. */
export type Missing = {
  code: string
  count: number
  documents: number
  message: string
  names?: { name: string; documents: number }[]
}

export function macrosDropped(names: string[]): string {
  return `Content of other pages or systems is left out: ${names.join(', ')}`
}

/** Sums up missing things of one kind for the end of a job. */
export function missingWarning(missing: Missing): Warning {
  const { code, count, documents, message, names = [] } = missing
  if (code === 'macros_dropped') return { code, message: macrosDropped(namesWithCounts(names)), documents }
  const { thing, on, document } = WORDS.get(code) ?? { thing: 'part', on: 'of', document: 'document' }
  const what = `${number(count, thing)} ${on} ${number(documents, document)} could not be included`
  const written = documents === 1 ? `the ${document} is written` : `the ${document}s are written`
  const example = count === 1 ? message : `One of them: ${message}`
  return {
    code,
    message: `${what}; ${written} without ${count === 1 ? 'it' : 'them'}. ${example}`,
    documents,
  }
}

const WORDS = new Map([
  ['names_missing', { thing: 'name', on: 'on', document: 'page' }],
  ['images_missing', { thing: 'image', on: 'on', document: 'page' }],
  ['attachments_left', { thing: 'attachment', on: 'of', document: 'email' }],
  ['pages_without_text', { thing: 'page', on: 'of', document: 'file' }],
])

const MAX_NAMED = 20

/** The most frequent first: `children (12 documents), jira (3)`. */
function namesWithCounts(names: { name: string; documents: number }[]): string[] {
  const sorted = names.toSorted((a, b) => b.documents - a.documents || (a.name < b.name ? -1 : 1))
  const shown = sorted.slice(0, MAX_NAMED).map(({ name, documents }, at) => {
    return `${name} (${at === 0 ? number(documents, 'document') : documents.toLocaleString('en')})`
  })
  const more = sorted.length - shown.length
  return more > 0 ? [...shown, `and ${more} more`] : shown
}

function number(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
