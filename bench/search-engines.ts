import type { Destination } from '../src/connectors/destination.ts'
import { elementKey } from '../src/connectors/kit/stored-element.ts'
import {
  openTableClient,
  type Run,
  type TableClient,
  type Work,
} from '../src/connectors/postgres/connection.ts'
import { readableCondition } from '../src/connectors/postgres/search/readable.ts'
import { createTableSearch } from '../src/connectors/postgres/search/search.ts'
import type { Search } from '../src/connectors/search.ts'
import { openClient, type SearchClient } from '../src/connectors/searchindex/client.ts'
import { connectionOf } from '../src/connectors/searchindex/config.ts'
import { ACCESS } from '../src/connectors/searchindex/schema/schema.ts'
import { rankIndex } from '../src/connectors/searchindex/search.ts'
import { searchElements } from '../src/connectors/searchindex/search-elements.ts'
import { type FoundIndex, findIndex } from '../src/connectors/searchindex/write/locate.ts'
import type { WithCapabilities } from '../src/connectors/type.ts'
import { freshTable } from '../test/world/fresh-table.ts'
import { vectorDatabase } from '../test/world/pgvector.ts'
import { freshIndex, openEgress } from '../test/world/search-engine/fresh-index.ts'

/** A destination to fill, and its search with and without the permission filter. */
export type SearchedDestination = AsyncDisposable & {
  destination: WithCapabilities<Destination, 'search'>
  filtered: Search
  unfiltered: Search
  /** After the last write. */
  settle(): Promise<void>
}

export async function openSearchedIndex(dims: number): Promise<SearchedDestination> {
  const index = await freshIndex({ prefix: 'bench-search-' })
  const connection = connectionOf({
    ...{ hosts: [index.engine.url], search_api_key: index.key, index_name: index.name },
  })
  const egress = openEgress()
  const client = openClient(connection, egress)
  let found: Promise<FoundIndex> | undefined
  const located = (signal: AbortSignal) => {
    found ??= findIndex(client, 'call', signal)
    return found
  }
  const searchOf = (opened: SearchClient): Search => ({
    rank: (request, signal) => rankIndex({ client: opened, located }, request, signal),
    elements: (request, signal) => searchElements(opened, request, signal),
    keyOf: elementKey,
    dims: async () => dims,
  })
  return {
    destination: index.destination,
    filtered: searchOf(client),
    unfiltered: searchOf(indexWithoutPermissions(client)),
    async settle() {
      await index.engine.adminFetch(`/${index.name}/_forcemerge?max_num_segments=4`, { method: 'POST' })
      await index.refresh()
    },
    [Symbol.asyncDispose]: async () => {
      await index[Symbol.asyncDispose]()
      await egress.close()
    },
  }
}

/** Removes the permission filter from every request. */
function indexWithoutPermissions(opened: SearchClient): SearchClient {
  const isPermission = (value: unknown) => JSON.stringify(value).includes(`"${ACCESS}.c`)
  const strip = (json: string) =>
    JSON.stringify(JSON.parse(json), (name, value) =>
      name === 'filter' && Array.isArray(value) ? value.filter((each) => !isPermission(each)) : value,
    )
  return {
    ...opened,
    address: opened.address,
    call: (doing, request, signal) =>
      opened.call(
        doing,
        {
          ...request,
          ...(request.body ? { body: JSON.parse(strip(JSON.stringify(request.body))) as object } : {}),
          ...(request.lines ? { lines: request.lines.map(strip) } : {}),
        },
        signal,
      ),
  }
}

export async function openSearchedTable(dims: number): Promise<SearchedDestination> {
  const database = await vectorDatabase()
  const table = await freshTable({ url: database.url })
  const egress = openEgress()
  const client = openTableClient(table.config, { egress })
  const located = async () => ({
    ...{ identity: '', vectors: { kind: 'vector' as const, dims }, vectorType: 'public.vector' },
  })
  return {
    destination: table.destination,
    filtered: createTableSearch({ client, located }),
    unfiltered: createTableSearch({ client: tableWithoutPermissions(client), located }),
    settle: async () => void (await table.sql('vacuum analyze elements')),
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await table[Symbol.asyncDispose]()
      await egress.close()
      await database.drop()
    },
  }
}

/** Replaces the condition in every statement; the tokens are always its first value. */
function tableWithoutPermissions(client: TableClient): TableClient {
  const tokens = '$1::text[]'
  const bare = (run: Run): Run => {
    return ({ text, ...rest }) =>
      run({ ...rest, text: text.replaceAll(readableCondition(tokens), `${tokens} is not null`) })
  }
  return {
    ...client,
    read: <T>(doing: string, work: Work<T>, signal: AbortSignal) =>
      client.read(doing, (run) => work(bare(run)), signal),
  }
}
