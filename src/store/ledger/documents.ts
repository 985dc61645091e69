import { sql } from 'kysely'
import type { DocumentRef } from '../../document.ts'
import { type Entry, GONE, type Skipped } from '../../ledger-entry.ts'
import type { Database } from '../database.ts'
import { storableJson } from '../storable.ts'

/** The ledger of a workflow, or with `swapId` that of its staged index. */
export type LedgerOf = { workflowId: string; swapId?: string }

export async function findDocuments(
  db: Database,
  of: LedgerOf,
  recordIds: string[],
): Promise<Map<string, Entry>> {
  if (recordIds.length === 0) return new Map()
  const { rows } = await sql<StoredEntry>`
    select * from ${tableOf(of)} where ${inLedger(of)} and record_id = any(${recordIds}::text[])
  `.execute(db)
  return new Map(rows.map((row) => [row.record_id, fromRow(row)]))
}

/** Never overwrites rows of a higher fence. */
export type LedgerWrite = LedgerOf & { fence: number }

/** Returns how many rows were written; the others belong to a later task. */
export async function upsertDocuments(
  db: Database,
  { fence, ...of }: LedgerWrite,
  documents: Entry[],
): Promise<number> {
  if (documents.length === 0) return 0
  const { numAffectedRows } = await sql`
    insert into ${tableOf(of)} as known (${keyColumn(of)}, record_id, scope, position, locator, version, state_hash, settings_hash,
                           element_ids, settled, own_text, skipped, fence)
    select ${keyValue(of)}::uuid, d.record_id, d.scope, d.position, d.locator, d.version, d.state_hash, d.settings_hash,
           array(select jsonb_array_elements_text(d.element_ids)), d.settled,
           case when d.own_text then ${fence}::bigint end, d.skipped, ${fence}::bigint
    from jsonb_to_recordset(${storableJson(documents.map(toRow))}::jsonb) as d(
      record_id text, scope text, position text, locator jsonb, version text, state_hash text, settings_hash text,
      element_ids jsonb, settled boolean, own_text boolean, skipped jsonb)
    on conflict (${keyColumn(of)}, record_id) do update set
      scope = excluded.scope, position = excluded.position, locator = excluded.locator, version = excluded.version,
      state_hash = excluded.state_hash, settings_hash = excluded.settings_hash, element_ids = excluded.element_ids,
      settled = excluded.settled, own_text = excluded.own_text, skipped = excluded.skipped, fence = excluded.fence, updated_at = now()
    where known.fence <= excluded.fence
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

export async function deleteDocuments(
  db: Database,
  { fence, ...of }: LedgerWrite,
  recordIds: string[],
): Promise<void> {
  if (recordIds.length === 0) return
  await sql`
    delete from ${tableOf(of)}
    where ${inLedger(of)} and record_id = any(${recordIds}::text[]) and fence <= ${fence}::bigint
  `.execute(db)
}

/** Documents in the index, without skipped ones. */
export async function countDocuments(db: Database, workflowId: string): Promise<number> {
  const row = await db
    .selectFrom('documents')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('workflow_id', '=', workflowId)
    .where('skipped', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Documents whose text an earlier release wrote, in pages. */
export async function* oldTextDocuments(db: Database, of: LedgerOf): AsyncIterable<Entry[]> {
  let after = ''
  while (true) {
    const { rows } = await sql<StoredEntry>`
      select * from ${tableOf(of)} where ${inLedger(of)} and record_id > ${after}::text
        and own_text is distinct from fence and skipped is null
      order by record_id limit 1000
    `.execute(db)
    if (rows.length === 0) return
    yield rows.map(fromRow)
    after = rows.at(-1)?.record_id ?? after
  }
}

/** Entries this job did not list or read as gone, in pages. */
export async function* unseenDocuments(db: Database, of: LedgerOf, jobId: string): AsyncIterable<Entry[]> {
  let after = ''
  while (true) {
    const { rows } = await sql<StoredEntry>`
      select * from ${tableOf(of)} as d where ${inLedger(of)} and record_id > ${after}::text
        and not exists (
          select from job_documents as j
          where j.job_id = ${jobId}::uuid and j.state <> 'removed' and j.record_id = d.record_id
            and j.error_code is distinct from ${GONE}
        )
      order by record_id limit 1000
    `.execute(db)
    if (rows.length === 0) return
    yield rows.map(fromRow)
    after = rows.at(-1)?.record_id ?? after
  }
}

/** Ledger entries this job failed to process, in pages. */
export async function* failedDocuments(
  db: Database,
  of: LedgerOf,
  jobId: string,
): AsyncIterable<{ entry: Entry; ref: DocumentRef | null }[]> {
  let after = ''
  while (true) {
    const { rows } = await sql<StoredEntry & { ref: DocumentRef | null }>`
      select d.*, j.ref from ${tableOf(of)} as d
      join job_documents as j on j.job_id = ${jobId}::uuid and j.record_id = d.record_id and j.state = 'failed'
      where ${inLedger(of)} and d.record_id > ${after}::text order by d.record_id limit 1000
    `.execute(db)
    if (rows.length === 0) return
    yield rows.map((row) => ({ entry: fromRow(row), ref: row.ref }))
    after = rows.at(-1)?.record_id ?? after
  }
}

/** A workflow recreated for the same target takes over the ledger of its predecessor. */
export async function adoptDocuments(
  db: Database,
  fromWorkflowIds: string[],
  toWorkflowId: string,
): Promise<void> {
  if (fromWorkflowIds.length === 0) return
  await sql`
    insert into documents (workflow_id, record_id, scope, position, locator, version, state_hash, settings_hash,
                           element_ids, settled, own_text, skipped, fence)
    select distinct on (record_id) ${toWorkflowId}::uuid, record_id, scope, position, locator, version, state_hash,
           settings_hash, element_ids, settled, own_text, skipped, fence
    from documents where workflow_id = any(${fromWorkflowIds}::uuid[])
    order by record_id, updated_at desc
    on conflict do nothing
  `.execute(db)
  await sql`delete from documents where workflow_id = any(${fromWorkflowIds}::uuid[])`.execute(db)
}

function tableOf({ swapId }: LedgerOf) {
  return sql.table(swapId ? 'staged_documents' : 'documents')
}

function keyColumn({ swapId }: LedgerOf) {
  return sql.ref(swapId ? 'swap_id' : 'workflow_id')
}

function keyValue({ workflowId, swapId }: LedgerOf): string {
  return swapId ?? workflowId
}

function inLedger(of: LedgerOf) {
  return sql`${keyColumn(of)} = ${keyValue(of)}::uuid`
}

export type StoredEntry = {
  record_id: string
  scope: string
  position: string
  locator: Record<string, string>
  version: string
  state_hash: string
  settings_hash: string
  element_ids: string[]
  settled: boolean
  own_text: BigInteger | null
  skipped: Skipped | null
  fence: BigInteger
}

type BigInteger = string | number | bigint

export function fromRow(row: StoredEntry): Entry {
  return {
    recordId: row.record_id,
    scope: row.scope,
    position: row.position,
    locator: row.locator,
    version: row.version,
    stateHash: row.state_hash,
    settingsHash: row.settings_hash,
    elementIds: row.element_ids,
    settled: row.settled,
    ...(row.own_text !== null && BigInt(row.own_text) === BigInt(row.fence) ? { ownText: true } : {}),
    ...(row.skipped ? { skipped: row.skipped } : {}),
  }
}

function toRow(document: Entry): Omit<StoredEntry, 'own_text' | 'fence'> & { own_text: boolean } {
  return {
    record_id: document.recordId,
    scope: document.scope,
    position: document.position,
    locator: document.locator,
    version: document.version,
    state_hash: document.stateHash,
    settings_hash: document.settingsHash,
    element_ids: document.elementIds,
    settled: document.settled,
    own_text: document.ownText ?? false,
    skipped: document.skipped ?? null,
  }
}
