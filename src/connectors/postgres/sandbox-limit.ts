import { AppError } from '../../errors.ts'
import type { Rejection } from '../destination.ts'
import { SANDBOX_MAX_DOCUMENTS } from '../egress/sandbox-host.ts'
import { CONTROL_ID } from '../kit/stored-element.ts'
import type { Run, TableClient } from './connection.ts'
import type { LocatedTable } from './prepare.ts'
import type { ElementRow } from './rows.ts'
import type { TableAddress } from './translate.ts'

const TOO_MANY = `the sandbox holds at most ${SANDBOX_MAX_DOCUMENTS.toLocaleString('en')} documents; use a destination of your own`

/** Rejects rows that the sandbox has no room for; within its size, existing documents are still updated. */
export async function roomForDocuments(
  run: Run,
  client: TableClient,
  { rows, located }: { rows: ElementRow[]; located: LocatedTable },
): Promise<{ accepted: ElementRow[]; rejections: Rejection[] }> {
  const { address, maxMb } = client
  if (maxMb === null) return { accepted: rows, rejections: [] }
  const wanted = [...new Set(rows.map(({ recordId }) => recordId))]
  // Concurrent batches would count the same room.
  await run({
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`millrace ${address.table}`],
  })
  if (!(await hasSpace(run, client, { rows, located, maxBytes: maxMb * 1_000_000 }))) {
    const why = `the sandbox holds at most ${maxMb.toLocaleString('en')} MB; use a destination of your own`
    return { accepted: [], rejections: rows.map((row) => full(row, why, address)) }
  }
  const known = await run<{ record_id: string }>({
    text: `select distinct record_id from ${address.table} where record_id = any($1)`,
    values: [wanted],
  })
  const accepted = new Set(known.map((row) => row.record_id))
  if (accepted.size < wanted.length) {
    const [row] = await run<{ documents: number }>({
      text: `select count(*)::int as documents from (
        select from ${address.table} where element_id <> $1 group by record_id) as document`,
      values: [CONTROL_ID],
    })
    const room = SANDBOX_MAX_DOCUMENTS - (row?.documents ?? 0)
    const added = wanted.filter((recordId) => !accepted.has(recordId)).slice(0, Math.max(0, room))
    for (const recordId of added) accepted.add(recordId)
  }
  return {
    accepted: rows.filter(({ recordId }) => accepted.has(recordId)),
    rejections: rows
      .filter(({ recordId }) => !accepted.has(recordId))
      .map((row) => full(row, TOO_MANY, address)),
  }
}

function full({ recordId, elementId }: ElementRow, why: string, { name }: TableAddress): Rejection {
  const what = `table ${name} refused element ${elementId}: ${why}`
  return { recordId, elementId, kind: 'refused', error: new AppError('destination_full', what) }
}

type Space = { rows: ElementRow[]; located: LocatedTable; maxBytes: number }

/** The size on disk includes removed rows and indexes, so a large table is measured by its rows. */
async function hasSpace(
  run: Run,
  { address: { table } }: TableClient,
  { rows, located, maxBytes }: Space,
): Promise<boolean> {
  const added = rows.reduce((sum, row) => sum + row.json.length + 4 * (row.embeddings?.length ?? 0), 0)
  const bytesOf = async (text: string, values: unknown[] = []) =>
    Number((await run<{ bytes: string }>({ text, values }))[0]?.bytes ?? 0)
  const onDisk = await bytesOf('select pg_total_relation_size($1::regclass) as bytes', [table])
  if (onDisk + added <= maxBytes) return true
  // Measuring takes time, so it has a limit too.
  if (onDisk > 4 * maxBytes) return false
  const columns = ['text', 'words', 'metadata', 'data_source', ...(located.vectors ? ['embeddings'] : [])]
  const sizes = columns.map((name) => `coalesce(pg_column_size(${name}), 0)`).join(' + ')
  return (await bytesOf(`select coalesce(sum(${sizes}), 0) as bytes from ${table}`)) + added <= maxBytes
}
