import type { DocumentRef } from '../../document.ts'
import { AppError } from '../../errors.ts'
import type { ReadOutcome } from '../connector.ts'
import { inBatches } from './batches.ts'
import type { Body, WikiClient } from './client.ts'
import { isMissing, isTooLong } from './transport.ts'

/** More HTML than any person wrote by hand; above it parsing alone would take minutes. */
const MAX_PAGE_BYTES = 20 * 1024 * 1024
const BATCH = 50

/** The bodies of a slice: many at once through the search, and what it omits or has only in an older version one by one. */
export async function* readPages(
  client: WikiClient,
  refs: DocumentRef[],
  signal: AbortSignal,
): AsyncGenerator<ReadOutcome> {
  for (let i = 0; i < refs.length; i += BATCH) {
    const batch = refs.slice(i, i + BATCH)
    let outcomes: ReadOutcome[]
    try {
      outcomes = await readBatch(client, batch, signal)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // Whatever ends the job would meet every other page as well.
      for (const ref of refs.slice(i)) yield { ref, error }
      return
    }
    yield* outcomes
  }
}

async function readBatch(
  client: WikiClient,
  refs: DocumentRef[],
  signal: AbortSignal,
): Promise<ReadOutcome[]> {
  // A page that fails in the search even alone is left out here and asked for directly below.
  const bodies = await inBatches(refs.map(pageId), {
    size: BATCH,
    smallest: 1,
    fetch: (ids) => client.bodies(ids, signal),
  })
  const found = new Map(bodies.map((body) => [body.id, body]))
  return Promise.all(
    refs.map(async (ref): Promise<ReadOutcome> => {
      const body = found.get(pageId(ref))
      if (body && Number(body.version) >= Number(ref.version)) return outcome(ref, body)
      return readOne(client, ref, signal)
    }),
  )
}

async function readOne(client: WikiClient, ref: DocumentRef, signal: AbortSignal): Promise<ReadOutcome> {
  try {
    return outcome(ref, await client.body(pageId(ref), signal))
  } catch (error) {
    if (!(error instanceof AppError) || error.endsJob) throw error
    if (isMissing(error)) return { ref, error: gone(ref) }
    if (isTooLong(error)) return { ref, error: tooLarge(ref, 'more than 64 MB') }
    return { ref, error }
  }
}

function outcome(ref: DocumentRef, body: Body): ReadOutcome {
  if (body.status !== 'current') return { ref, error: gone(ref) }
  const bytes = Buffer.byteLength(body.html)
  if (bytes > MAX_PAGE_BYTES) return { ref, error: tooLarge(ref, `${(bytes / 1024 / 1024).toFixed(1)} MB`) }
  return { ref, document: { ref, version: body.version, filetype: 'text/html', body: body.html } }
}

function gone(ref: DocumentRef): AppError {
  return new AppError('document_gone', `reading page ${pageId(ref)}: it is no longer in the wiki`)
}

function tooLarge(ref: DocumentRef, size: string): AppError {
  return new AppError(
    'document_too_large',
    `reading page ${pageId(ref)}: it is ${size} long, and 20 MB is the most`,
    {
      fix: 'Split the page, or leave it out',
    },
  )
}

function pageId(ref: DocumentRef): string {
  return ref.locator.page_id ?? ref.recordId.slice(ref.recordId.lastIndexOf('/') + 1)
}
