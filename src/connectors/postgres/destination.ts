import type { Destination } from '../destination.ts'
import { inventoryPages } from '../kit/stored-element.ts'
import type { Context, WithCapabilities } from '../type.ts'
import { removeRows, replaceAccess } from './change-rows.ts'
import { checkTable } from './check.ts'
import type { PostgresConfig } from './config.ts'
import { openTableClient } from './connection.ts'
import { createTableControl } from './control.ts'
import { heldRows, listRowsPage } from './inventory.ts'
import type { TablePace } from './pace.ts'
import { type LocatedTable, locate, prepareTable } from './prepare.ts'
import { elementRows } from './rows.ts'
import { createTableSearch } from './search/search.ts'
import { writeRows } from './write.ts'

export type PostgresTable = WithCapabilities<Destination, 'search' | 'inspect' | 'control'>

/** Tests pass a shorter `pace`. */
export function openPostgres(config: PostgresConfig, context: Context, pace?: TablePace): PostgresTable {
  const client = openTableClient(config, context, pace)
  let prepared: LocatedTable | undefined

  /** The prepared table; every statement checks that it is still the same. */
  const located = async (signal: AbortSignal): Promise<LocatedTable> => {
    prepared ??= await client.read('reading', (run) => locate(run, { client }), signal)
    return prepared
  }

  return {
    check: (signal, onSteps = () => {}) => checkTable(client, onSteps, signal),
    async prepare({ dims }, signal) {
      prepared = await prepareTable(client, dims, signal)
      return { identity: prepared.identity }
    },
    async write(items, fence, signal) {
      if (items.length === 0) return []
      const target = await located(signal)
      const { rows, rejections } = elementRows(items, target, client.address)
      return [...rejections, ...(await writeRows(client, { rows, fence, located: target }, signal))]
    },
    async updateAccess(items, fence, signal) {
      if (items.length === 0) return []
      return replaceAccess(client, { items, fence, located: await located(signal) }, signal)
    },
    async remove(items, fence, signal) {
      if (items.length === 0) return
      await removeRows(client, { items, fence, located: await located(signal) }, signal)
    },
    search: createTableSearch({ client, located }),
    inspect: {
      async stored(elements, signal) {
        return heldRows(client, { elements, located: await located(signal) }, signal)
      },
      inventory: (signal) => inventoryPages((cursor) => listRowsPage(client, cursor, signal)),
      inventoryPage: (cursor, signal) => listRowsPage(client, cursor, signal),
    },
    control: createTableControl({ client, located }),
    close: () => client.close(),
  }
}
