import { sql } from 'kysely'
import { HIDDEN_ACCESS } from '../../document-hashes.ts'
import type { StoredLevel } from '../../permissions/levels.ts'
import type { Database } from '../database.ts'
import { isInLedger, type LedgerKey } from './ledgers.ts'
import { keyOfSet } from './permission-sets.ts'
import { lockWanted } from './wanted.ts'

/** Of one document. */
const MAX_VERSIONS = 20

type Settled = { recordIds: string[]; jobId: string | null }

/**
 * Records what settled documents hold now, if it differs from their last version. Needs the lock of the wanted state. A
 * document whose permissions changed meanwhile is recorded when these are written.
 */
export async function recordVersions(
  transaction: Database,
  { workflowId, ledgerId }: LedgerKey,
  { recordIds, jobId }: Settled,
): Promise<void> {
  if (recordIds.length === 0) return
  const isHidden = sql`d.access_hash = ${sql.lit(HIDDEN_ACCESS)}`
  // Of two indexes during a swap, the old one holds the older version.
  const version = sql`case when s.is_wanted then s.version else coalesce(last.version, s.version) end`
  const { rows } = await sql<{ permissions_id: string }>`
    with settled as materialized (
      select d.record_id, d.version, d.version = w.version as is_wanted, d.access_hash as hash, w.set_id,
        case when ${isHidden} then '' else ${keyOfSet('p')} end as key,
        md5(concat_ws('/', w.scope, jsonb_path_query_array(w.ref, '$.ancestors[*].id')::text)) as place
      from unnest(${recordIds}::text[]) as r(id) cross join lateral (
        select record_id, version, access_hash from documents
        where ledger_id = ${ledgerId}::uuid and record_id = r.id and settled and skipped is null
          and cardinality(element_ids) > 0 offset 0
      ) as d cross join lateral (
        select scope, version, ref, set_id from wanted_documents
        where workflow_id = ${workflowId}::uuid and record_id = r.id offset 0
      ) as w join permission_sets as p on p.id = w.set_id
      where d.access_hash = p.hash or ${isHidden}
    ),
    sets as materialized (
      select s.key, s.hash, s.set_id, known.id from (
        select distinct on (key, hash) key, hash, set_id from settled
      ) as s left join lateral (
        select id from past_permissions
        where workflow_id = ${workflowId}::uuid and key = s.key and hash = s.hash offset 0
      ) as known on true
    ),
    new_permissions as (
      insert into past_permissions (workflow_id, key, hash, levels)
      select ${workflowId}::uuid, sets.key, sets.hash,
        case when sets.hash = ${sql.lit(HIDDEN_ACCESS)} then '[]' else p.access->'levels' end
      from sets join permission_sets as p on p.id = sets.set_id where sets.id is null
      returning id, key, hash
    ),
    permissions as materialized (
      select id, key, hash from new_permissions
      union all
      select id, key, hash from sets where id is not null
    ),
    added as (
      insert into document_versions (workflow_id, record_id, version, permissions_id, place, job_id)
      select ${workflowId}::uuid, s.record_id, ${version}, p.id, s.place, ${jobId}::uuid
      from settled as s join permissions as p on p.key = s.key and p.hash = s.hash
      left join lateral (
        select version, permissions_id, place from document_versions
        where workflow_id = ${workflowId}::uuid and record_id = s.record_id order by id desc limit 1
      ) as last on true
      where (${version}, p.id, s.place) is distinct from (last.version, last.permissions_id, last.place)
      returning record_id
    )
    delete from document_versions as v using added
    where v.workflow_id = ${workflowId}::uuid and v.record_id = added.record_id and v.id <= (
      select id from document_versions where workflow_id = ${workflowId}::uuid and record_id = added.record_id
      order by id desc offset ${sql.lit(MAX_VERSIONS - 1)} limit 1)
    returning v.permissions_id
  `.execute(transaction)
  await dropUnused(
    transaction,
    rows.map(({ permissions_id: id }) => id),
  )
}

/** Forgets documents that no ledger has any more. */
export async function deleteVersions(db: Database, workflowId: string, recordIds: string[]): Promise<void> {
  if (recordIds.length === 0) return
  await db.transaction().execute(async (transaction) => {
    await lockWanted(transaction, workflowId)
    await deleteUnknown(transaction, workflowId, recordIds)
  })
}

async function deleteUnknown(db: Database, workflowId: string, recordIds: string[]): Promise<void> {
  const { rows } = await sql<{ permissions_id: string }>`
    delete from document_versions as v where workflow_id = ${workflowId}::uuid and record_id = any(${recordIds}::text[])
      and not ${isInLedger('v')}
    returning permissions_id
  `.execute(db)
  await dropUnused(
    db,
    rows.map(({ permissions_id: id }) => id),
  )
}

async function dropUnused(db: Database, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    delete from past_permissions as p where id = any(${[...new Set(ids)]}::bigint[])
      and not exists (select from document_versions where permissions_id = p.id)
  `.execute(db)
}

/** A version of a document and its permissions. */
export type VersionRow = {
  id: string
  version: string
  seen_at: Date
  /** Null for permission writes, and after the job was deleted. */
  job_id: string | null
  place: string
  permissions_id: string
}

/** Newest first. */
export async function listVersions(
  db: Database,
  workflowId: string,
  recordId: string,
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select v.id, v.version, v.seen_at, j.id as job_id, v.place, v.permissions_id
    from document_versions as v left join jobs as j on j.id = v.job_id
    where v.workflow_id = ${workflowId}::uuid and v.record_id = ${recordId} order by v.id desc
  `.execute(db)
  return rows
}

type PastPermissions = { id: string; levels: StoredLevel[] }

export async function readPastPermissions(
  db: Database,
  workflowId: string,
  ids: string[],
): Promise<Map<string, PastPermissions>> {
  const { rows } = await sql<PastPermissions>`
    select id, levels from past_permissions
    where workflow_id = ${workflowId}::uuid and id = any(${ids}::bigint[])
  `.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
