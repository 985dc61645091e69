import type { KnownDocument, Source } from '../connectors/connector.ts'
import type { Database } from '../store/database.ts'
import { addWarning, type JobRow } from '../store/jobs/jobs.ts'
import { forgetScopes } from '../store/ledger/scopes.ts'
import {
  applyListing,
  hideUnlisted,
  hideWanted,
  inOtherScopes,
  type UnseenDocument,
  unseenInRange,
} from '../store/ledger/wanted.ts'
import { batchListing } from './listing-batches.ts'
import { ScopeProofs } from './scope-proofs.ts'

/** `write` brings the index to the wanted permissions. */
export type PassContext = {
  db: Database
  source: Source
  write(options: { waits: boolean }, signal: AbortSignal): Promise<number>
}

/** Documents that a source locates at once. */
const BATCH = 1000

/** What a pass did, for the job. */
export type PassResult = { written: number; hidden: number; complete: boolean }

/**
 * Lists the source without reading bodies and writes changed permissions. Adds no document and moves no version.
 * Documents that are gone are hidden; the next content job removes them.
 */
export async function runPermissionPass(
  job: JobRow,
  { db, source, write }: PassContext,
  signal: AbortSignal,
): Promise<PassResult> {
  const workflowId = job.workflow_id
  const began = new Date()
  const proofs = new ScopeProofs(db, job)
  const missingIn = new Map<string, MissingDocument[]>()
  let complete = false
  let written = 0
  let hidden = 0
  for await (const event of batchListing(source.list(signal))) {
    signal.throwIfAborted()
    if (event.kind === 'warning') await addWarning(db, job.id, event.warning)
    else if (event.kind === 'complete') complete = true
    else {
      const asOf = event.asOf ?? began
      const { scope, refs } = event
      const page = { scope, refs, asOf }
      const applied = await applyListing(db, workflowId, { page, mode: 'permissions', jobId: job.id })
      const unseen = await unseenInRange(db, workflowId, {
        ...{ scope, after: event.after, to: event.to },
        without: refs.map(({ recordId }) => recordId),
      })
      const missing = unseen.map((document) => ({ ...document, asOf: proofs.asOf(scope, asOf) }))
      missingIn.set(scope, [...(missingIn.get(scope) ?? []), ...missing])
      if (event.end) {
        // Before the scope counts as proved: a later failure must not leave them findable.
        hidden += await hideAll(missingIn.get(scope) ?? [], { db, source, workflowId }, signal)
        missingIn.delete(scope)
      }
      await proofs.follow(event, { asOf, isNewest: applied.isNewest })
      if (applied.documents + applied.sets > 0) written += await write({ waits: false }, signal)
    }
  }
  const { closed } = proofs
  if (complete) {
    for await (const documents of inOtherScopes(db, workflowId, { without: closed, began }))
      hidden += await hideMissing(
        documents.map((document) => ({ ...document, asOf: began })),
        { db, source, workflowId },
        signal,
      )
    await forgetScopes(db, workflowId, { except: closed, began })
  }
  await hideUnlisted(db, workflowId, closed)
  written += await write({ waits: true }, signal)
  return { written, hidden, complete }
}

/** With the time when the listing of its scope began. */
type MissingDocument = UnseenDocument & { asOf: Date }

type HideContext = { db: Database; source: Source; workflowId: string }

async function hideAll(
  documents: MissingDocument[],
  context: HideContext,
  signal: AbortSignal,
): Promise<number> {
  let hidden = 0
  for (let at = 0; at < documents.length; at += BATCH)
    hidden += await hideMissing(documents.slice(at, at + BATCH), context, signal)
  return hidden
}

/** Without `locate`, a document that its scope did not show is gone. */
async function hideMissing(
  documents: MissingDocument[],
  { db, source, workflowId }: HideContext,
  signal: AbortSignal,
): Promise<number> {
  const places = (await source.locate?.(documents, signal)) ?? new Map()
  const isGone = ({ recordId }: KnownDocument) => (places.get(recordId) ?? null) === null
  const [gone, unreadable] = [documents.filter(isGone), documents.filter((each) => !isGone(each))]
  return (
    (await hideWanted(db, workflowId, { documents: gone, reason: 'gone' })) +
    (await hideWanted(db, workflowId, { documents: unreadable, reason: 'unreadable' }))
  )
}
