import { sql } from 'kysely'
import type { DocumentRef } from '../../document.ts'
import { HIDDEN_ACCESS } from '../../document-hashes.ts'
import type { Skipped } from '../../ledger-entry.ts'
import type { StoredLevel } from '../../permissions/levels.ts'
import type { Database } from '../database.ts'
import type { HiddenReason } from '../schema.ts'

/** What one workflow knows about a document. */
export type DocumentInWorkflow = {
  workflow_id: string
  /** Null until a listing has shown it. */
  wanted: {
    ref: Omit<DocumentRef, 'access'>
    hidden: HiddenReason | null
    levels: Omit<StoredLevel, 'who'>[]
    as_of: string
    people: number
    groups: number
    /** The first few readers by id. */
    first_people: string[]
    first_groups: string[]
    classes: string[]
    /** Class tokens of all levels. */
    class_tokens: string[]
    /** Whether the scope admits a class. */
    is_open: boolean
    /** Whether unproved permissions let no one pass. */
    is_closed: boolean
  } | null
  proved_at: Date | null
  /** Null until the first write. */
  written: {
    version: string
    settled: boolean
    elements: number
    skipped: Skipped | null
    updated_at: string
  } | null
}

/** By workflow of the workspace; empty if none knows the document. */
export async function findInWorkflows(
  db: Database,
  workspaceId: string,
  recordId: string,
): Promise<DocumentInWorkflow[]> {
  const read = sql`s.access->'permissions'->0->'read'`
  // Lists of people may be long, so the database counts them.
  const { rows } = await sql<DocumentInWorkflow>`
    select f.id as workflow_id, p.proved_at,
      case when w.record_id is not null then jsonb_build_object(
        'ref', w.ref, 'hidden', w.hidden, 'as_of', s.as_of,
        'levels', (
          select coalesce(jsonb_agg(l.level - 'who' order by l.at), '[]')
          from jsonb_array_elements(s.access->'levels') with ordinality as l(level, at)),
        'people', coalesce(jsonb_array_length(${read}->'users'), 0),
        'groups', coalesce(jsonb_array_length(${read}->'groups'), 0),
        'first_people', coalesce(jsonb_path_query_array(${read}, '$.users[0 to 2]'), '[]'),
        'first_groups', coalesce(jsonb_path_query_array(${read}, '$.groups[0 to 2]'), '[]'),
        'classes', coalesce(${read}->'access_classes', '[]'),
        'class_tokens', (
          select coalesce(jsonb_agg(distinct token), '[]')
          from jsonb_path_query(s.access, '$.levels[*].who[*] ? (@ starts with "class:")') as token),
        'is_open', jsonb_path_exists(s.access, '$.levels[0].who[*] ? (@ starts with "class:")'),
        'is_closed', s.hash = ${HIDDEN_ACCESS}
      ) end as wanted,
      case when d.record_id is not null then jsonb_build_object(
        'version', d.version, 'settled', d.settled, 'elements', cardinality(d.element_ids), 'skipped', d.skipped,
        'updated_at', d.updated_at
      ) end as written
    from workflows as f
    left join wanted_documents as w on w.workflow_id = f.id and w.record_id = ${recordId}
    left join permission_sets as s on s.id = w.set_id
    left join documents as d on d.ledger_id = f.ledger_id and d.record_id = ${recordId}
    left join workflow_scopes as p on p.workflow_id = f.id and p.scope = coalesce(w.scope, d.scope)
    where f.workspace_id = ${workspaceId}::uuid and f.deleted_at is null
      and (w.record_id is not null or d.record_id is not null)
    order by f.created_at, f.id
  `.execute(db)
  return rows
}

export type LastFailure = { workflow_id: string; code: string; message: string; at: Date }

/** The last outcome of a document in each workflow, if it is a failure. */
export async function lastFailures(
  db: Database,
  workflowIds: string[],
  recordId: string,
): Promise<LastFailure[]> {
  if (workflowIds.length === 0) return []
  const { rows } = await sql<LastFailure>`
    select f.id as workflow_id, last.error_code as code, coalesce(last.error_message, '') as message, last.updated_at as at
    from unnest(${workflowIds}::uuid[]) as f(id) cross join lateral (
      select d.state, d.error_code, d.error_message, d.updated_at
      from jobs join job_documents as d on d.job_id = jobs.id and d.record_id = ${recordId}
      where jobs.workflow_id = f.id and jobs.kind = 'content' and d.state in ('new', 'changed', 'skipped', 'failed')
      order by jobs.created_at desc limit 1
    ) as last
    where last.error_code is not null
  `.execute(db)
  return rows
}

export type TitledDocument = { record_id: string; title: string; space_key: string; space_name: string }

const MAX_TITLED = 20

/** The documents of a workspace with these words in their titles; equal and short titles first. */
export async function documentsTitled(
  db: Database,
  workspaceId: string,
  title: string,
): Promise<TitledDocument[]> {
  const { rows } = await sql<TitledDocument>`
    select record_id, title, space_key, space_name from (
      select distinct on (w.record_id) w.record_id, w.ref->>'title' as title, w.ref->>'scope' as space_key,
        coalesce(w.ref->>'scopeName', '') as space_name
      from wanted_documents as w join workflows as f on f.id = w.workflow_id
      where f.workspace_id = ${workspaceId}::uuid and f.deleted_at is null
        and position(lower(${title}) in lower(w.ref->>'title')) > 0
      order by w.record_id) as found
    order by lower(title) <> lower(${title}), length(title), title, record_id
    limit ${MAX_TITLED}
  `.execute(db)
  return rows
}

/** Workspaces whose workflows know the document, among those of a person or one. */
export async function workspacesKnowing(
  db: Database,
  recordId: string,
  of: { personId: string; roles: string[] } | { workspaceId: string },
): Promise<{ workspace_id: string; name: string }[]> {
  const isOwn =
    'personId' in of
      ? sql`exists (
          select from workspace_members as m where m.workspace_id = s.id and m.user_id = ${of.personId}::uuid
            and m.role = any(${of.roles}::text[]))`
      : sql`s.id = ${of.workspaceId}::uuid`
  const { rows } = await sql<{ workspace_id: string; name: string }>`
    select s.id as workspace_id, s.name from workspaces as s
    where ${isOwn} and exists (
      select from workflows as f where f.workspace_id = s.id and f.deleted_at is null and (
        exists (select from wanted_documents as w where w.workflow_id = f.id and w.record_id = ${recordId})
        or exists (select from documents as d where d.ledger_id = f.ledger_id and d.record_id = ${recordId})))
    order by s.name, s.id
  `.execute(db)
  return rows
}
