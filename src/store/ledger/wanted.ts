import { sql } from 'kysely'
import type { DocumentRef } from '../../document.ts'
import { metadataHash } from '../../document-hashes.ts'
import { AppError } from '../../errors.ts'
import { readAccess, type StoredAccess } from '../../permissions/levels.ts'
import type { Database } from '../database.ts'
import { holdActive } from '../jobs/jobs.ts'
import type { HiddenReason } from '../schema.ts'
import { storableJson } from '../storable.ts'
import { isInLedger, searchedLedger } from './ledgers.ts'
import { putSets, setKey } from './permission-sets.ts'

/** A part of a listing. `asOf` is when reading of its permissions began. `relisted`: read apart from its scope. */
export type ListedPage = { scope: string; refs: DocumentRef[]; asOf: Date; relisted?: true }

/**
 * `content` adds documents and moves versions. `permissions` changes permissions and place of documents that the
 * ledger knows.
 */
export type ListingMode = 'content' | 'permissions'

type Listed = { page: ListedPage; modeOf(ref: DocumentRef): ListingMode }

/** What a page of a listing changed. */
type AppliedPage = {
  /** Documents whose wanted state changed. */
  documents: number
  /** Sets whose permissions changed. */
  sets: number
  /** False if a newer listing of the scope has begun: then no permissions changed. */
  isNewest: boolean
  /** Whether a document kept its permissions, because a later reading found other ones. */
  isOutdated: boolean
}

type WantedRow = {
  record_id: string
  scope: string
  position: string
  version: string
  ref: Omit<DocumentRef, 'access'>
  metadata_hash: string
  set_id: string
  hidden: HiddenReason | null
  relisted_at: Date | null
}

/**
 * Makes a page of a listing the wanted state. Rows that did not change are not written. Pages of older listings of
 * the scope change no permissions. Throws if the job has ended: its source may have another site by now.
 */
export async function applyListing(
  db: Database,
  workflowId: string,
  { jobId, ...listed }: Listed & { jobId?: string },
): Promise<AppliedPage> {
  return db.transaction().execute(async (transaction) => {
    await lockWanted(transaction, workflowId)
    if (jobId && !(await holdActive(transaction, jobId)))
      throw new AppError('cancelled', `the job ${jobId} was stopped`)
    return applyInTransaction(transaction, workflowId, listed)
  })
}

/** As `applyListing`, within a transaction that has called `lockWanted`. */
export async function applyInTransaction(
  transaction: Database,
  workflowId: string,
  { page, modeOf }: Listed,
): Promise<AppliedPage> {
  const listedAt = await readListingTimes(transaction, workflowId, page)
  const isNewest = page.relisted
    ? !listedAt.after.has(page.scope)
    : await claimScope(transaction, workflowId, { ...page, known: listedAt.scope })
  if (page.refs.length === 0 || (page.relisted && !isNewest))
    return { documents: 0, sets: 0, isNewest, isOutdated: !isNewest }
  const known = await knownRows(transaction, workflowId, page.refs)
  const isContent = (ref: DocumentRef) => modeOf(ref) === 'content' && !ref.undecided
  const listed = page.refs.filter((ref) => known.has(ref.recordId) || isContent(ref))
  const sets = await putSets(transaction, workflowId, { refs: listed, isNewest, asOf: page.asOf })
  const rows = listed.flatMap((ref): (WantedRow & { needs_permission_write: boolean })[] => {
    const key = setKey(ref.access)
    const set = sets.ids.get(key)
    if (set === undefined) return []
    const isProved = isNewest && !sets.outdated.has(key)
    const before = known.get(ref.recordId) ?? null
    const wanted = {
      ...(before
        ? wantedRow(ref, {
            before,
            set,
            isContent: isContent(ref),
            isNewest: isProved && !isNewer(before, page) && !listedAt.after.has(before.scope),
          })
        : { ...newRow(ref, set), hidden: isProved ? null : ('unproved' as const) }),
      relisted_at: latest(before?.relisted_at ?? null, page.relisted ? page.asOf : null),
    }
    const isSame = before !== null && sameRow(before, wanted)
    if (isSame) return []
    // A new document has nothing in the index yet.
    const needs_permission_write = before ? needsPermissionWrite(before, wanted) : known.has(ref.recordId)
    return [{ ...wanted, needs_permission_write }]
  })
  await upsertWanted(transaction, workflowId, rows)
  return {
    documents: rows.length,
    sets: sets.changed,
    isNewest,
    isOutdated: !isNewest || sets.outdated.size > 0,
  }
}

/** One change of a workflow's wanted state at a time: a listing must not write back what another one changed. */
export async function lockWanted(transaction: Database, workflowId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`wanted:${workflowId}`}, 0))`.execute(transaction)
}

type ListingTimes = {
  /** When the newest listing of the page's scope began. */
  scope: Date | null
  /** Scopes with a newer listing than the page: a document that was moved there does not return. */
  after: ReadonlySet<string>
}

async function readListingTimes(
  db: Database,
  workflowId: string,
  { scope, asOf }: Pick<ListedPage, 'scope' | 'asOf'>,
): Promise<ListingTimes> {
  const { rows } = await sql<{ scope: string | null; listed_at: Date | null }>`
    select s.scope, s.listed_at from workflows as w left join workflow_scopes as s
      on s.workflow_id = w.id and (s.listed_at > ${asOf} or s.scope = ${scope})
    where w.id = ${workflowId}::uuid and w.deleted_at is null
  `.execute(db)
  if (rows.length === 0) throw new AppError('workflow_deleted', `the workflow ${workflowId} was deleted`)
  const newer = rows.filter((row) => row.listed_at !== null && row.listed_at > asOf)
  return {
    scope: rows.find((row) => row.scope === scope)?.listed_at ?? null,
    after: new Set(newer.flatMap((row) => (row.scope === null ? [] : [row.scope]))),
  }
}

function latest(a: Date | null, b: Date | null): Date | null {
  return a && b ? (a > b ? a : b) : (a ?? b)
}

/** Whether the document was read apart from its scope after this listing began. */
function isNewer({ relisted_at: at }: WantedRow, { asOf }: ListedPage): boolean {
  return at !== null && at > asOf
}

/** False if a newer listing of the scope has begun. */
async function claimScope(
  db: Database,
  workflowId: string,
  { scope, asOf, known }: Pick<ListedPage, 'scope' | 'asOf'> & { known: Date | null },
): Promise<boolean> {
  if (known !== null && known >= asOf) return known.getTime() === asOf.getTime()
  await sql`
    insert into workflow_scopes as s (workflow_id, scope, listed_at) values (${workflowId}::uuid, ${scope}, ${asOf})
    on conflict (workflow_id, scope) do update set listed_at = greatest(s.listed_at, excluded.listed_at)
  `.execute(db)
  return true
}

/** Wanted rows by record id; null for documents that only the ledger of the index knows. */
async function knownRows(
  db: Database,
  workflowId: string,
  refs: DocumentRef[],
): Promise<Map<string, WantedRow | null>> {
  const ids = refs.map(({ recordId }) => recordId)
  const { rows } = await sql<WantedRow>`
    select record_id, scope, position, version, ref, metadata_hash, set_id, hidden, relisted_at from wanted_documents
    where workflow_id = ${workflowId}::uuid and record_id = any(${ids}::text[])
  `.execute(db)
  const known = new Map<string, WantedRow | null>(rows.map((row) => [row.record_id, row]))
  const missing = ids.filter((id) => !known.has(id))
  if (missing.length === 0) return known
  const written = await sql<{ record_id: string }>`
    select record_id from documents
    where ledger_id = ${searchedLedger(workflowId)} and record_id = any(${missing}::text[])
  `.execute(db)
  for (const { record_id: id } of written.rows) known.set(id, null)
  return known
}

function newRow(ref: DocumentRef, set: string): WantedRow {
  const { access: _, undecided: __, ...about } = ref
  return {
    record_id: ref.recordId,
    scope: ref.scope,
    position: ref.position,
    version: ref.version,
    ref: about,
    metadata_hash: metadataHash(ref),
    set_id: set,
    hidden: null,
    relisted_at: null,
  }
}

type Applied = { before: WantedRow; set: string; isNewest: boolean; isContent: boolean }

function wantedRow(ref: DocumentRef, { before, set, isNewest, isContent }: Applied): WantedRow {
  const listed = newRow(ref, set)
  // A pass never moves the version: fields that belong to the text stay.
  const about = isContent || ref.version === before.version ? listed.ref : placed(before.ref, listed.ref)
  const version = isContent ? ref.version : before.version
  const next = { ...listed, ref: { ...about, version }, version }
  // An older listing cannot move the document or show it again.
  const { scope, position, set_id, hidden } = before
  const row = isNewest
    ? next
    : { ...next, scope, position, set_id, hidden, ref: placed(next.ref, before.ref) }
  return { ...row, metadata_hash: metadataHash(row.ref) }
}

/** The place of a newer ref with the text fields of an older one. */
function placed(
  before: Omit<DocumentRef, 'access'>,
  { scope, position, url, locator, scopeName, labels, ancestors }: Omit<DocumentRef, 'access'>,
): Omit<DocumentRef, 'access'> {
  return { ...before, scope, position, url, locator, scopeName, labels, ancestors }
}

/** A new version is written with its metadata anyway. */
function needsPermissionWrite(before: WantedRow, wanted: WantedRow): boolean {
  const hasNewMetadata = before.version === wanted.version && before.metadata_hash !== wanted.metadata_hash
  return before.set_id !== wanted.set_id || before.hidden !== wanted.hidden || hasNewMetadata
}

function sameRow(a: WantedRow, b: WantedRow): boolean {
  const isRelisted = Number(a.relisted_at) === Number(b.relisted_at)
  const isPlaced = a.scope === b.scope && a.position === b.position && a.version === b.version
  const isAlike = a.set_id === b.set_id && a.metadata_hash === b.metadata_hash && a.hidden === b.hidden
  return isAlike && isPlaced && isRelisted
}

async function upsertWanted(
  db: Database,
  workflowId: string,
  rows: (WantedRow & { needs_permission_write: boolean })[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into wanted_documents as w (workflow_id, record_id, scope, position, version, ref, metadata_hash, set_id, hidden,
      relisted_at, needs_permission_write)
    select ${workflowId}::uuid, d.record_id, d.scope, d.position, d.version, d.ref, d.metadata_hash, d.set_id::bigint,
      d.hidden, d.relisted_at, d.needs_permission_write
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as d(record_id text, scope text, position text, version text,
      ref jsonb, metadata_hash text, set_id text, hidden text, relisted_at timestamptz,
      needs_permission_write boolean)
    on conflict (workflow_id, record_id) do update set
      scope = excluded.scope, position = excluded.position, version = excluded.version, ref = excluded.ref,
      metadata_hash = excluded.metadata_hash, set_id = excluded.set_id, hidden = excluded.hidden,
      relisted_at = excluded.relisted_at, needs_permission_write = w.needs_permission_write or excluded.needs_permission_write
  `.execute(db)
}

/** The wanted state of one document, with its current permissions. */
export type Wanted = { ref: DocumentRef; hidden: HiddenReason | null }

export async function findWanted(
  db: Database,
  workflowId: string,
  recordIds: string[],
): Promise<Map<string, Wanted>> {
  if (recordIds.length === 0) return new Map()
  const { rows } = await sql<{
    ref: Omit<DocumentRef, 'access'>
    access: StoredAccess
    hidden: HiddenReason | null
  }>`
    select w.ref, s.access, w.hidden from wanted_documents as w join permission_sets as s on s.id = w.set_id
    where w.workflow_id = ${workflowId}::uuid and w.record_id = any(${recordIds}::text[])
  `.execute(db)
  return new Map(
    rows.map(({ ref, access, hidden }) => [
      ref.recordId,
      { ref: { ...ref, access: readAccess(access) }, hidden },
    ]),
  )
}

/** Forgets documents that no ledger has any more. */
export async function deleteWanted(db: Database, workflowId: string, recordIds: string[]): Promise<void> {
  if (recordIds.length === 0) return
  await sql`
    delete from wanted_documents as w where workflow_id = ${workflowId}::uuid and record_id = any(${recordIds}::text[])
      and not ${isInLedger('w')}
  `.execute(db)
}
