import { runWorkers } from '../../concurrency.ts'
import type { Rejection } from '../destination.ts'
import { batchesWithin } from '../kit/batches.ts'
import { bisect } from './bisect.ts'
import type { Run, TableClient } from './connection.ts'
import type { LocatedTable } from './prepare.ts'
import { type ElementRow, refusal, superseded } from './rows.ts'
import { roomForDocuments } from './sandbox-limit.ts'
import { IDENTITY_ID } from './table.ts'
import { tableReplaced } from './translate.ts'
import { binaryVectors, type VectorColumn } from './vectors.ts'

/** One statement is built while the server runs another. */
const CONCURRENCY = 2
/** Of values in one statement. */
const MAX_BYTES = 4_000_000

const DOING = 'writing to'

export type RowsToWrite = { rows: ElementRow[]; fence: number; located: LocatedTable }

/** Upserts in batches; a refused row is a rejection, and so is one with a higher fence. */
export async function writeRows(
  client: TableClient,
  { rows, fence, located }: RowsToWrite,
  signal: AbortSignal,
): Promise<Rejection[]> {
  const rejections: Rejection[] = []
  const limits = { count: client.config.batch_size, bytes: MAX_BYTES }
  const batches = batchesWithin(rows, limits, sizeOf)
  const worker = async (workerSignal: AbortSignal) => {
    for (let batch = batches.shift(); batch; batch = batches.shift())
      rejections.push(
        ...(await bisect(batch, {
          work: (part) =>
            client.transaction(
              DOING,
              (run) => upsert(run, client, { rows: part, fence, located }),
              workerSignal,
            ),
          refused: (row, why) => [refusal(row, why, client.address)],
        })),
      )
  }
  await runWorkers(CONCURRENCY, worker, signal)
  return rejections
}

function sizeOf({ json, embeddings }: ElementRow) {
  return { count: 1, bytes: json.length + 8 * (embeddings?.length ?? 0) }
}

async function upsert(
  run: Run,
  client: TableClient,
  { rows, fence, located }: RowsToWrite,
): Promise<Rejection[]> {
  const { address } = client
  const { accepted, rejections } = await roomForDocuments(run, client, { rows, located })
  if (accepted.length === 0) return rejections
  const [outcome] = await run<{ is_same: boolean; written: string[] }>({
    text: upsertStatement(address.table, located),
    values: [
      ...[IDENTITY_ID, located.identity, `[${accepted.map(({ json }) => json).join()}]`, fence],
      ...vectorValues(accepted, located),
    ],
  })
  if (!outcome?.is_same) throw tableReplaced(DOING, address)
  const written = new Set(outcome.written)
  const newer = accepted.filter(({ id }) => !written.has(id))
  return [...rejections, ...newer.map((row) => superseded(row, address))]
}

/** Locks the row of the identity, so that the table cannot be emptied meanwhile. */
export function guardOf(table: string): string {
  return `guard as materialized (
    select from ${table} where id = $1 and data_source->>'version' = $2 for share)`
}

/** The vectors in one array, and the position of each row's vector in it. */
function vectorValues(rows: ElementRow[], { vectors }: LocatedTable): unknown[] {
  if (!vectors) return []
  let count = 0
  const positions = rows.map(({ embeddings }) => (embeddings ? count++ : null))
  return [binaryVectors(rows.flatMap(({ embeddings }) => (embeddings ? [embeddings] : []))), positions]
}

function upsertStatement(table: string, { vectors, vectorType }: LocatedTable): string {
  const columns = COLUMN_TYPES.map(([name]) => name)
  const names = [...columns, ...(vectors ? ['embeddings'] : [])]
  const values = [
    ...columns.map((name) => `new.${name}`),
    ...(vectors ? [vectorValue(vectors, vectorType)] : []),
  ]
  const definitions = COLUMN_TYPES.map((pair) => pair.join(' ')).join()
  const sets = [...names.slice(1), 'fence'].map((name) => `${name} = excluded.${name}`).join()
  return `
    with ${guardOf(table)}, written as (
      insert into ${table} as old (${names.join()}, fence)
      select ${values.join()}, $4::bigint
      from guard, rows from (json_to_recordset($3::json) as (${definitions})) with ordinality
        as new(${columns.join()}, row)
      on conflict (id) do update set ${sets} where old.fence <= excluded.fence
      returning old.id)
    select exists (select from guard) as is_same, array(select id from written) as written`
}

/** The row's part of the array; null without a position. */
function vectorValue({ kind, dims }: VectorColumn, vectorType: string | null): string {
  const at = '($6::int[])[new.row]'
  const slice = `($5::real[])[${at} * ${dims} + 1 : ${at} * ${dims} + ${dims}]`
  return kind === 'vector' ? `(${slice})::${vectorType ?? 'vector'}` : slice
}

const COLUMN_TYPES: [name: string, type: string][] = [
  ['id', 'text'],
  ['record_id', 'text'],
  ['element_id', 'text'],
  ['type', 'text'],
  ['text', 'text'],
  ['metadata', 'jsonb'],
  ['data_source', 'jsonb'],
]
