import { AppError } from '../../errors.ts'
import type { Rejection } from '../connector.ts'
import { isSandboxHost, SANDBOX_MAX_DOCUMENTS } from '../egress/sandbox-host.ts'
import type { Run, TableClient } from './connection.ts'
import type { ElementRow } from './rows.ts'
import { CONTROL_ID } from './table.ts'

const FULL = `the sandbox holds at most ${SANDBOX_MAX_DOCUMENTS.toLocaleString('en')} documents; use a destination of your own`

/** Rejects rows of documents that the sandbox has no room for; existing documents are still updated. */
export async function roomForDocuments(
  run: Run,
  { config, address }: TableClient,
  rows: ElementRow[],
): Promise<{ accepted: ElementRow[]; rejections: Rejection[] }> {
  if (!isSandboxHost(config.host)) return { accepted: rows, rejections: [] }
  const wanted = [...new Set(rows.map(({ recordId }) => recordId))]
  // Concurrent batches would count the same room.
  await run({
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`millrace ${address.table}`],
  })
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
      .map(({ recordId, elementId }) => ({
        recordId,
        elementId,
        error: new AppError(
          'destination_full',
          `table ${address.name} refused element ${elementId}: ${FULL}`,
        ),
      })),
  }
}
