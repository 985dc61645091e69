import { AppError } from '../../errors.ts'
import type { Context, Destination } from '../connector.ts'
import { createBulk, SUPERSEDED } from './bulk.ts'
import { checkIndex, SCHEMA_FIX } from './check.ts'
import { openClient, type SearchClient } from './client.ts'
import type { SearchIndexConfig } from './config.ts'
import { removing, writing } from './documents.ts'
import { heldElements, listElements } from './inventory.ts'
import { confirmSame, findIndex, type Located } from './locate.ts'
import { planSchema, searchableDims } from './mapping.ts'
import type { Pace } from './pace.ts'
import { createReplaceAccess } from './replace-access.ts'
import type { Mapping } from './schema.ts'
import { searchIndex } from './search.ts'
import { type InPlace, swappable } from './swap.ts'

/** `pace` is for those who cannot wait: a test of a cluster that stays away. */
export function openSearchIndex(config: SearchIndexConfig, context: Context, pace?: Pace): Destination {
  const client = openClient(config, context.egress, pace)
  return swappable(inPlace(client), {
    client,
    openAt: (index_name) => inPlace(openClient({ ...config, index_name }, context.egress, pace)),
  })
}

function inPlace(client: SearchClient): InPlace {
  const bulk = createBulk(client)
  const replaceAccess = createReplaceAccess(client, bulk)
  let known: Located | undefined

  /** The index that was prepared, here or by whoever began the job; it must still be the same one. */
  const located = async (signal: AbortSignal): Promise<Located> => {
    if (known) await confirmSame(client, known, signal)
    known ??= await findIndex(client, 'call', signal)
    return known
  }

  return {
    check: (signal, onSteps = () => {}) => checkIndex(client, onSteps, signal),
    async prepare({ dims }, signal) {
      const found = await findIndex(client, 'call', signal)
      const plan = planSchema(found.mapping, dims)
      const [problem] = plan.problems
      if (problem) throw misfit(client, problem)
      if (plan.add) await addFields(client, { mapping: plan.add, required: plan.required.length > 0 }, signal)
      known = found
      return { identity: found.uuid }
    },
    async write(items, fence, signal) {
      if (items.length === 0) return []
      return bulk(writing(items, fence), { doing: 'writing to', located: await located(signal) }, signal)
    },
    async updateAccess(items, fence, signal) {
      if (items.length === 0) return []
      return replaceAccess({ items, fence }, await located(signal), signal)
    },
    async remove(elements, fence, signal) {
      if (elements.length === 0) return
      const where = { doing: 'removing from', located: await located(signal) }
      // An element that something newer wrote meanwhile is not this removal's any more.
      const refused = await bulk(removing(elements, fence), where, signal)
      const first = refused.find(({ error }) => !error.message.includes(SUPERSEDED))
      if (first) throw first.error
    },
    async held(elements, signal) {
      return heldElements(client, { elements, located: await located(signal) }, signal)
    },
    inventory: (signal) => listElements(client, signal),
    async dims(signal) {
      return searchableDims((await findIndex(client, 'call', signal)).mapping)
    },
    search: (request, signal) => searchIndex(client, request, signal),
    close: () => client.close(),
  }
}

async function addFields(
  client: SearchClient,
  { mapping, required }: { mapping: Mapping; required: boolean },
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.call(
      'adding fields to',
      (es, options) =>
        es.indices.putMapping({ index: client.place.index, write_index_only: true, ...mapping }, options),
      signal,
    )
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // Without the others the index is as its owner made it, which is theirs to decide.
    if (!required && (error.code === 'destination_unauthorized' || error.code === 'destination_rejected'))
      return
    if (error.code === 'destination_rejected')
      throw misfit(client, 'it does not take the fields for permissions')
    throw error
  }
}

function misfit({ place }: SearchClient, problem: string): AppError {
  return new AppError(
    'destination_schema',
    `index ${place.index} at ${place.hosts} does not fit: ${problem}`,
    {
      fix: SCHEMA_FIX,
    },
  )
}
