import { AppError } from '../../errors.ts'
import type { Destination } from '../destination.ts'
import type { RetryPolicy } from '../kit/retries.ts'
import { elementKey, inventoryPages } from '../kit/stored-element.ts'
import type { Context, WithCapabilities } from '../type.ts'
import { checkIndex, SCHEMA_FIX, vectorSupportFix } from './check.ts'
import { openClient, type SearchClient } from './client.ts'
import { type Connection, connectionOf, type SearchIndexConfig } from './config.ts'
import { createControl } from './control.ts'
import { createIndexCreation } from './create-index.ts'
import { heldElements, listElementsPage } from './inventory.ts'
import { nativeIndexQuery } from './native-query.ts'
import { NO_VECTOR_SUPPORT, planSchema, searchableDims } from './schema/mapping.ts'
import type { Mapping } from './schema/schema.ts'
import { rankIndex } from './search.ts'
import { searchElements } from './search-elements.ts'
import { createSwap } from './swap/swap.ts'
import { createBulk } from './write/bulk.ts'
import { removeOperations, writeOperations } from './write/documents.ts'
import { confirmSame, type FoundIndex, findIndex, type LocatedIndex, pathOf } from './write/locate.ts'
import { createReplaceAccess } from './write/replace-access.ts'

export type SearchIndex = WithCapabilities<Destination, 'search' | 'inspect' | 'swap' | 'control' | 'create'>

export function openSearchIndex(
  config: SearchIndexConfig,
  context: Context,
  retries?: RetryPolicy,
): SearchIndex {
  return openConnection(connectionOf(config), context, retries)
}

/** Tests pass shorter `retries`. */
export function openConnection(connection: Connection, context: Context, retries?: RetryPolicy): SearchIndex {
  const client = openClient(connection, context.egress, retries)
  const bulk = createBulk(client)
  const replaceAccess = createReplaceAccess(client, bulk)
  let prepared: LocatedIndex | undefined
  /** As the last `dims` found it, which every search by vector begins with. */
  let found: FoundIndex | undefined
  const find = async (signal: AbortSignal) => {
    found = await findIndex(client, 'call', signal)
    return found
  }
  const searched = { client, located: async (signal: AbortSignal) => found ?? find(signal) }

  /** The prepared index; it must not have changed since. */
  const located = async (signal: AbortSignal): Promise<LocatedIndex> => {
    if (prepared) await confirmSame(client, prepared, signal)
    prepared ??= await findIndex(client, 'call', signal)
    return prepared
  }

  /** Removes elements that were written to another index because the alias moved. */
  const confirmWritten = async (
    { located, elements, fence }: Written,
    signal: AbortSignal,
  ): Promise<void> => {
    if (located.engine.writeGuard && !located.isAlias) return
    try {
      await confirmSame(client, located, signal)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'destination_index_missing') throw error
      await bulk(removeOperations(elements, fence), { doing: 'removing from', located }, signal).catch(
        () => {},
      )
      throw error
    }
  }

  return {
    check: (signal, onSteps = () => {}) => checkIndex(client, onSteps, signal),
    async prepare({ dims }, signal) {
      const found = await findIndex(client, 'call', signal)
      const plan = planSchema(found, dims)
      if (plan.problems.length > 0) throw schemaMismatch(client, plan.problems)
      if (plan.add) await addFields(client, { mapping: plan.add, required: plan.required.length > 0 }, signal)
      prepared = found
      return { identity: found.uuid, ...(found.isAlias ? { indexBehindAlias: found.concrete } : {}) }
    },
    async write(items, fence, signal) {
      if (items.length === 0) return []
      const target = { doing: 'writing to', located: await located(signal) }
      const operations = writeOperations(items, { fence, engine: target.located.engine })
      const rejections = await bulk(operations, target, signal)
      const elements = items.map(({ recordId, element }) => ({ recordId, elementIds: [element.element_id] }))
      await confirmWritten({ ...target, elements, fence }, signal)
      return rejections
    },
    async updateAccess(items, fence, signal) {
      if (items.length === 0) return []
      const index = await located(signal)
      const rejections = await replaceAccess({ items, fence }, index, signal)
      await confirmWritten({ located: index, elements: items, fence }, signal)
      return rejections
    },
    async remove(elements, fence, signal) {
      if (elements.length === 0) return
      const target = { doing: 'removing from', located: await located(signal) }
      // Elements with a newer write stay.
      const refused = await bulk(removeOperations(elements, fence), target, signal)
      // A removal has no guard: an index created by accident has nothing to remove.
      await confirmSame(client, target.located, signal)
      const first = refused.find(({ kind }) => kind !== 'superseded')
      if (first) throw first.error
    },
    search: {
      rank: (request, signal) => rankIndex(searched, request, signal),
      elements: (request, signal) => searchElements(client, request, signal),
      keyOf: elementKey,
      dims: async (signal) => searchableDims(await find(signal)),
      native: (request, signal) => nativeIndexQuery(searched, request, signal),
    },
    inspect: {
      async stored(elements, signal) {
        return heldElements(client, { elements, located: await located(signal) }, signal)
      },
      inventory: (signal) => inventoryPages((cursor) => listElementsPage(client, cursor, signal)),
      inventoryPage: (cursor, signal) => listElementsPage(client, cursor, signal),
    },
    swap: createSwap(client, (index) => openConnection({ ...connection, index }, context, retries)),
    control: createControl({ client, bulk, located }),
    create: createIndexCreation(client),
    // The egress closes the sockets.
    close: async () => {},
  }
}

type Written = {
  located: LocatedIndex
  elements: { recordId: string; elementIds: string[] }[]
  fence: number
}

async function addFields(
  client: SearchClient,
  { mapping, required }: { mapping: Mapping; required: boolean },
  signal: AbortSignal,
): Promise<void> {
  try {
    const path = `${pathOf(client.address.index)}/_mapping`
    const query = { write_index_only: 'true' }
    await client.call('adding fields to', { method: 'PUT', path, query, body: mapping }, signal)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // The job works without the optional fields.
    if (!required && (error.code === 'destination_unauthorized' || error.code === 'destination_rejected'))
      return
    if (error.code === 'destination_rejected')
      throw schemaMismatch(client, ['it does not accept the fields for permissions'])
    throw error
  }
}

function schemaMismatch({ address }: SearchClient, problems: string[]): AppError {
  const what = `index ${address.index} at ${address.hosts} does not fit: ${problems.join('; ')}`
  const fix = problems.includes(NO_VECTOR_SUPPORT) ? vectorSupportFix(address) : SCHEMA_FIX
  return new AppError('destination_schema', what, { fix })
}
