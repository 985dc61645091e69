import type { Control } from '../destination.ts'
import { CONTROL_ID, controlRecord, elementKey } from '../kit/stored-element.ts'
import { removeRows } from './change-rows.ts'
import type { TableClient } from './connection.ts'
import type { LocatedTable } from './prepare.ts'
import { IDENTITY_ID } from './table.ts'
import { tableReplaced } from './translate.ts'
import { guardOf } from './write.ts'

type ControlContext = {
  client: TableClient
  located(signal: AbortSignal): Promise<LocatedTable>
}

/** The control record is a row without access: `fence`, and the epoch as `data_source.version`. */
export function createTableControl({ client, located }: ControlContext): Control {
  const { address } = client
  return {
    async read(key, signal) {
      const { identity } = await located(signal)
      const id = elementKey(controlRecord(key), CONTROL_ID)
      const rows = await client.read(
        'reading the control record of',
        (run) =>
          run<{ id: string; fence: string; version: string | null }>({
            text: `select id, fence, data_source->>'version' as version from ${address.table} where id = any($1)`,
            values: [[IDENTITY_ID, id]],
          }),
        signal,
      )
      const found = new Map(rows.map((row) => [row.id, row]))
      if (found.get(IDENTITY_ID)?.version !== identity)
        throw tableReplaced('reading the control record of', address)
      const row = found.get(id)
      return row ? { epoch: row.version ?? '', fence: Number(row.fence) } : null
    },
    async write(key, { epoch, fence }, signal) {
      const { identity } = await located(signal)
      const recordId = controlRecord(key)
      const [outcome] = await client.transaction(
        'writing the control record of',
        (run) =>
          run<{ is_same: boolean; is_written: boolean }>({
            text: `
              with ${guardOf(address.table)}, written as (
                insert into ${address.table} as old (id, record_id, element_id, type, data_source, fence)
                select $3, $4, $5, $5, jsonb_build_object('version', $6::text), $7::bigint from guard
                on conflict (id) do update set data_source = excluded.data_source, fence = excluded.fence
                where old.fence <= excluded.fence
                returning 1)
              select exists (select from guard) as is_same, exists (select from written) as is_written`,
            values: [
              IDENTITY_ID,
              identity,
              elementKey(recordId, CONTROL_ID),
              recordId,
              CONTROL_ID,
              epoch,
              fence,
            ],
          }),
        signal,
      )
      if (!outcome?.is_same) throw tableReplaced('writing the control record of', address)
      return outcome.is_written
    },
    async remove(key, fence, signal) {
      const items = [{ recordId: controlRecord(key), elementIds: [CONTROL_ID] }]
      await removeRows(client, { items, fence, located: await located(signal) }, signal)
    },
  }
}
