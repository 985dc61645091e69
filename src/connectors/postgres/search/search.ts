import { elementKey } from '../../kit/stored-element.ts'
import type { Search } from '../../search.ts'
import type { TableClient } from '../connection.ts'
import type { LocatedTable } from '../prepare.ts'
import { readElements } from './elements.ts'
import { nativeTableQuery } from './native-query.ts'
import { rankTable } from './rank.ts'

export type TableSearch = {
  client: TableClient
  located(signal: AbortSignal): Promise<LocatedTable>
}

/** Search as a reader. */
export function createTableSearch({ client, located }: TableSearch): Search {
  return {
    rank: (request, signal) => rankTable({ client, located }, request, signal),
    elements: (request, signal) => readElements(client, request, signal),
    keyOf: elementKey,
    native: (request, signal) => nativeTableQuery({ client, located }, request, signal),
    dims: async (signal) => (await located(signal)).vectors?.dims ?? null,
  }
}
