import { AppError } from '../../errors.ts'
import type { AccessItem, DocumentElements, Rejection } from '../destination.ts'
import { batchesWithin, inParts } from '../kit/batches.ts'
import { type ElementKey, keysOf } from '../kit/stored-element.ts'
import { bisect } from './bisect.ts'
import type { TableClient } from './connection.ts'
import type { LocatedTable } from './prepare.ts'
import { missing, refusal, storableText, superseded } from './rows.ts'
import { IDENTITY_ID } from './table.ts'
import { type TableAddress, tableReplaced } from './translate.ts'
import { guardOf } from './write.ts'

const MAX_ROWS = 1000
/** `bytes` of JSON in one statement. */
const LIMITS = { count: MAX_ROWS, bytes: 4_000_000 }

type Change<T> = { items: T[]; fence: number; located: LocatedTable }

/** Replaces `data_source` alone. A missing row is a rejection. */
export async function replaceAccess(
  client: TableClient,
  { items, fence, located }: Change<AccessItem>,
  signal: AbortSignal,
): Promise<Rejection[]> {
  const rejections: Rejection[] = []
  for (const batch of batchesWithin(items.flatMap(toParts), LIMITS, sizeOf))
    rejections.push(
      ...(await bisect(batch, {
        work: (part) => updateBatch(client, { items: part, fence, located }, signal),
        refused: ({ keys }, why) => keys.map((key) => refusal(key, why, client.address)),
      })),
    )
  return rejections
}

type AccessBatchItem = { keys: ElementKey[]; json: string }

async function updateBatch(
  client: TableClient,
  { items, fence, located }: Change<AccessBatchItem>,
  signal: AbortSignal,
): Promise<Rejection[]> {
  const { address } = client
  const values = [IDENTITY_ID, located.identity, `[${items.map(({ json }) => json).join()}]`, fence]
  const [outcome] = await client.transaction(
    'updating permissions in',
    (run) =>
      run<{ is_same: boolean; found: string[]; updated: string[] }>({
        text: updateStatement(address.table),
        values,
      }),
    signal,
  )
  if (!outcome?.is_same) throw tableReplaced('updating permissions in', address)
  const [found, updated] = [new Set(outcome.found), new Set(outcome.updated)]
  return items
    .flatMap(({ keys }) => keys)
    .filter(({ id }) => !updated.has(id))
    .map((key) => (found.has(key.id) ? superseded : missing)(key, address))
}

function toParts({ dataSource, ...document }: AccessItem): AccessBatchItem[] {
  const source = storableText(dataSource)
  return inParts(keysOf([document]), MAX_ROWS).map((keys) => {
    const json = `{"ids":${JSON.stringify(keys.map(({ id }) => id))},"data_source":${source}}`
    return { keys, json }
  })
}

function sizeOf({ keys, json }: AccessBatchItem) {
  return { count: keys.length, bytes: json.length }
}

/** Locks in the order of ids, so that concurrent writers do not wait for each other. */
function updateStatement(table: string): string {
  return `
    with ${guardOf(table)}, wanted as materialized (
      select distinct on (one.id) one.id, document.data_source
      from rows from (json_to_recordset($3::json) as (ids json, data_source jsonb)) with ordinality
        as document(ids, data_source, position), json_array_elements_text(document.ids) as one(id)
      order by one.id, document.position desc),
    locked as materialized (
      select id, fence from ${table} where id in (select id from wanted) and exists (select from guard)
      order by id for update),
    updated as (
      update ${table} as old set data_source = wanted.data_source, fence = $4::bigint
      from wanted, locked
      where old.id = wanted.id and old.id = locked.id and locked.fence <= $4::bigint
      returning old.id)
    select exists (select from guard) as is_same, array(select id from locked) as found,
      array(select id from updated) as updated`
}

/** Rows with a higher fence stay. */
export async function removeRows(
  client: TableClient,
  { items, fence, located }: Change<DocumentElements>,
  signal: AbortSignal,
): Promise<void> {
  const { table } = client.address
  const text = `
    with ${guardOf(table)}, locked as materialized (
      select id, fence from ${table} where id = any($3::text[]) and exists (select from guard)
      order by id for update),
    removed as (
      delete from ${table} as old using locked where old.id = locked.id and locked.fence <= $4::bigint
      returning old.id)
    select exists (select from guard) as is_same,
      exists (select from locked where fence <= $4::bigint and id not in (select id from removed)) as is_kept`
  for (const keys of inParts(keysOf(items), MAX_ROWS)) {
    const ids = keys.map(({ id }) => id)
    const [outcome] = await client.transaction(
      'removing from',
      (run) =>
        run<{ is_same: boolean; is_kept: boolean }>({
          text,
          values: [IDENTITY_ID, located.identity, ids, fence],
        }),
      signal,
    )
    if (!outcome?.is_same) throw tableReplaced('removing from', client.address)
    if (outcome.is_kept) throw rowsKept(client.address)
  }
}

/** Removed documents would stay readable. */
function rowsKept({ name, server }: TableAddress): AppError {
  return new AppError(
    'destination_schema',
    `removing from table ${name} at ${server}: a trigger keeps rows that were removed`,
    { fix: 'Drop the trigger, or use another table' },
  )
}
