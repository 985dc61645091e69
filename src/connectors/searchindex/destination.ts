import { AppError } from '../../errors.ts'
import type { Context, Destination, Having } from '../connector.ts'
import { checkIndex, roomFix, SCHEMA_FIX } from './check.ts'
import { openClient, type SearchClient } from './client.ts'
import { type Connection, connectionOf, type SearchIndexConfig } from './config.ts'
import { heldElements, listElements } from './inventory.ts'
import { NO_ROOM, planSchema, searchableDims } from './schema/mapping.ts'
import type { Mapping } from './schema/schema.ts'
import { searchIndex } from './search.ts'
import { createSwapping } from './swap/swap.ts'
import { createBulk, SUPERSEDED } from './write/bulk.ts'
import { removing, writing } from './write/documents.ts'
import { confirmSame, findIndex, type Located, pathOf } from './write/locate.ts'
import type { RetryPolicy } from './write/pace.ts'
import { createReplaceAccess } from './write/replace-access.ts'

export type SearchIndex = Having<Destination, 'search' | 'inspect' | 'swap'>

export function openSearchIndex(
  config: SearchIndexConfig,
  context: Context,
  pace?: RetryPolicy,
): SearchIndex {
  return openConnection(connectionOf(config), context, pace)
}

/** `pace` shortens retries in tests. */
export function openConnection(connection: Connection, context: Context, pace?: RetryPolicy): SearchIndex {
  const client = openClient(connection, context.egress, pace)
  const bulk = createBulk(client)
  const replaceAccess = createReplaceAccess(client, bulk)
  let known: Located | undefined

  /** The prepared index; it must not have changed since. */
  const located = async (signal: AbortSignal): Promise<Located> => {
    if (known) await confirmSame(client, known, signal)
    known ??= await findIndex(client, 'call', signal)
    return known
  }

  /** Removes what went into another index because the alias moved meanwhile. */
  const confirmWritten = async (
    { located, elements, fence }: Written,
    signal: AbortSignal,
  ): Promise<void> => {
    if (located.engine.guard && !located.isAlias) return
    try {
      await confirmSame(client, located, signal)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'destination_index_missing') throw error
      await bulk(removing(elements, fence), { doing: 'removing from', located }, signal).catch(() => {})
      throw error
    }
  }

  return {
    check: (signal, onSteps = () => {}) => checkIndex(client, onSteps, signal),
    async prepare({ dims }, signal) {
      const found = await findIndex(client, 'call', signal)
      const plan = planSchema(found, dims)
      if (plan.problems.length > 0) throw misfit(client, plan.problems)
      if (plan.add) await addFields(client, { mapping: plan.add, required: plan.required.length > 0 }, signal)
      known = found
      return { identity: found.uuid, ...(found.isAlias ? { behind: found.concrete } : {}) }
    },
    async write(items, fence, signal) {
      if (items.length === 0) return []
      const where = { doing: 'writing to', located: await located(signal) }
      const units = writing(items, { fence, engine: where.located.engine })
      const rejections = await bulk(units, where, signal)
      const elements = items.map(({ recordId, element }) => ({ recordId, elementIds: [element.element_id] }))
      await confirmWritten({ ...where, elements, fence }, signal)
      return rejections
    },
    async updateAccess(items, fence, signal) {
      if (items.length === 0) return []
      const where = await located(signal)
      const rejections = await replaceAccess({ items, fence }, where, signal)
      await confirmWritten({ located: where, elements: items, fence }, signal)
      return rejections
    },
    async remove(elements, fence, signal) {
      if (elements.length === 0) return
      const where = { doing: 'removing from', located: await located(signal) }
      // Elements with a newer write stay.
      const refused = await bulk(removing(elements, fence), where, signal)
      // A removal has no guard: an index created by accident has nothing to remove.
      await confirmSame(client, where.located, signal)
      const first = refused.find(({ error }) => !error.message.includes(SUPERSEDED))
      if (first) throw first.error
    },
    search: {
      query: (request, signal) => searchIndex(client, request, signal),
      async dims(signal) {
        return searchableDims(await findIndex(client, 'call', signal))
      },
    },
    inspect: {
      async held(elements, signal) {
        return heldElements(client, { elements, located: await located(signal) }, signal)
      },
      inventory: (signal) => listElements(client, signal),
    },
    swap: createSwapping(client, (index) => openConnection({ ...connection, index }, context, pace)),
    // The sockets are the guard's to close.
    close: async () => {},
  }
}

type Written = { located: Located; elements: { recordId: string; elementIds: string[] }[]; fence: number }

async function addFields(
  client: SearchClient,
  { mapping, required }: { mapping: Mapping; required: boolean },
  signal: AbortSignal,
): Promise<void> {
  try {
    const path = `${pathOf(client.place.index)}/_mapping`
    const query = { write_index_only: 'true' }
    await client.call('adding fields to', { method: 'PUT', path, query, body: mapping }, signal)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // The other fields are optional; the owner decides.
    if (!required && (error.code === 'destination_unauthorized' || error.code === 'destination_rejected'))
      return
    if (error.code === 'destination_rejected')
      throw misfit(client, ['it does not take the fields for permissions'])
    throw error
  }
}

function misfit({ place }: SearchClient, problems: string[]): AppError {
  const what = `index ${place.index} at ${place.hosts} does not fit: ${problems.join('; ')}`
  const fix = problems.includes(NO_ROOM) ? roomFix(place) : SCHEMA_FIX
  return new AppError('destination_schema', what, { fix })
}
