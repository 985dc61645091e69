/**
 * What a connection check answers, step by step, and what a job has to say beyond its documents. A step is `pending`
 * only while the check goes on.
 */
export type CheckStep = {
  name: string
  status: 'ok' | 'failed' | 'warning' | 'skipped' | 'pending'
  detail: string
  fix?: string
}
export type CheckReport = { ok: boolean; reason: string | null; steps: CheckStep[] }

/** Is told of every step as it ends, together with those that are still to come. */
export type OnSteps = (steps: CheckStep[]) => void

export function pending(name: string): CheckStep {
  return { name, status: 'pending', detail: '' }
}

/** Something the job has to say that is not a document's failure. */
export type Warning = { code: string; message: string; documents?: number }

/** Warnings that say that something of the wiki was not seen. */
const INCOMPLETE = new Set(['space_not_listed', 'listing_broken', 'documents_hidden', 'files_not_listed'])

export function saysIncomplete(warnings: Warning[]): boolean {
  return warnings.some(({ code }) => INCOMPLETE.has(code))
}

/** Things of one kind that could not be taken along with documents, summed up for a job's end. */
export function missingWarning(missing: {
  code: string
  count: number
  documents: number
  message: string
}): Warning {
  const { code, count, documents, message } = missing
  const { thing, on, document } = WORDS.get(code) ?? { thing: 'part', on: 'of', document: 'document' }
  const what = `${number(count, thing)} ${on} ${number(documents, document)} could not be taken along`
  const whole = documents === 1 ? `the ${document} is whole` : `the ${document}s are whole`
  const example = count === 1 ? message : `One of them: ${message}`
  return { code, message: `${what}; ${whole} without ${count === 1 ? 'it' : 'them'}. ${example}`, documents }
}

const WORDS = new Map([
  ['images_missing', { thing: 'image', on: 'on', document: 'page' }],
  ['attachments_left', { thing: 'attachment', on: 'of', document: 'letter' }],
  ['pages_without_text', { thing: 'page', on: 'of', document: 'file' }],
])

function number(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
