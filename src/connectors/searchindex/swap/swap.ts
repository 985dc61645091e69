import { AppError } from '../../../errors.ts'
import type { Destination, IndexId, Swap } from '../../destination.ts'
import type { SearchClient } from '../client.ts'
import { findIndex, pathOf } from '../write/locate.ts'
import {
  callWithPrivileges,
  countIn,
  deleteIndex,
  isIndexMissing,
  readAlias,
  readIndex,
  stagingAliasOf,
  uuidOf,
  withPrivilegesFix,
} from './alias.ts'
import { createStagedIndex } from './stage.ts'
import { checkSwap } from './swap-check.ts'

/**
 * One atomic request moves the alias and removes the *staging alias*. A withdrawal removes that first, so a
 * late move fails.
 */
export function createSwap(client: SearchClient, destinationFor: (index: string) => Destination): Swap {
  return {
    identity: async (signal) => (await findIndex(client, 'call', signal)).uuid,
    searched: async (signal) => (await readAlias(client, signal)).id,
    nameFor: (suffix) => `${client.address.index}-${suffix}`,
    stage: (name, shape, signal) => createStagedIndex(client, { name, shape }, signal),
    destinationFor,
    promote: (move, signal) => moveAlias(client, move, signal),
    withdraw: (staged, signal) => withdraw(client, staged, signal),
    async existing(indexes, signal) {
      const kept = []
      for (const index of indexes) {
        const found = await readIndex(client, index.name, signal)
        if (!found || uuidOf(found) !== index.uuid) continue
        const elements = await countIn(client, index.name, signal)
        kept.push({ ...index, elements, aliases: Object.keys(found.aliases ?? {}) })
      }
      return kept
    },
    drop: (index, signal) => drop(client, index, signal),
    check: (signal) => checkSwap(client, signal),
  }
}

async function moveAlias(
  client: SearchClient,
  { staged, old, beforeSend }: Parameters<Swap['promote']>[0],
  signal: AbortSignal,
): Promise<void> {
  const alias = client.address.index
  if (await isSearched(client, staged, signal)) return
  const { id, index } = await readAlias(client, signal)
  const next = await readIndex(client, staged.name, signal)
  const refuse = (what: string) =>
    new AppError('destination_schema', `moving the alias ${alias} at ${client.address.hosts}: ${what}`)
  if (id.name !== old.name || id.uuid !== old.uuid)
    throw refuse('it was moved meanwhile, not by this workflow')
  if (!next || uuidOf(next) !== staged.uuid) throw refuse('the new index is not the one that was filled')
  await client.call(
    'refreshing the staged index of',
    { method: 'POST', path: `${pathOf(staged.name)}/_refresh` },
    signal,
  )
  const { is_write_index: isWritten } = index.aliases?.[alias] ?? {}
  const actions = [
    { remove: { index: staged.name, alias: stagingAliasOf(staged.name), must_exist: true } },
    { remove: { index: old.name, alias, must_exist: true } },
    { add: { index: staged.name, alias, ...(isWritten === undefined ? {} : { is_write_index: isWritten }) } },
  ]
  await beforeSend?.()
  // One attempt: a response may be lost, so the result is read afterwards.
  const outcome = await client.attempt<{ acknowledged?: boolean }>(
    'moving the alias of',
    { method: 'POST', path: '/_aliases', body: { actions } },
    signal,
  )
  if ('value' in outcome && outcome.value.acknowledged === true) return
  if (await isSearched(client, staged, signal)) return
  if ('error' in outcome) throw withPrivilegesFix(outcome.error, client)
  throw new AppError('destination_unreachable', `moving the alias ${alias}: the cluster does not confirm it`)
}

async function withdraw(
  client: SearchClient,
  { name, uuid }: Parameters<Swap['withdraw']>[0],
  signal: AbortSignal,
): Promise<'searched' | 'removed' | 'left'> {
  const before = await readIndex(client, name, signal)
  if (!before || (uuid !== null && uuidOf(before) !== uuid)) return 'removed'
  // Not through `_aliases`: every cluster version knows this route.
  await callWithPrivileges(
    client,
    {
      doing: 'withdrawing the staged index of',
      method: 'DELETE',
      path: `${pathOf(name)}/_alias/${encodeURIComponent(stagingAliasOf(name))}`,
      recover: (failure) => (isIndexMissing(failure) ? {} : undefined),
    },
    signal,
  )
  const found = await readIndex(client, name, signal)
  if (!found) return 'removed'
  const aliases = Object.keys(found.aliases ?? {})
  if (aliases.includes(client.address.index)) return 'searched'
  if (aliases.includes(stagingAliasOf(name)))
    throw new AppError('destination_unreachable', `withdrawing the index ${name}: it can still get the alias`)
  // Another alias means another owner; unrecorded elements mean it was never ours.
  const isOurs = aliases.length === 0 && (uuid !== null || (await countIn(client, name, signal)) === 0)
  if (!isOurs) return 'removed'
  try {
    await deleteIndex(client, name, signal)
    return 'removed'
  } catch (error) {
    // Without its staging alias it cannot be swapped in; it only uses space.
    if (error instanceof AppError && error.code === 'destination_unauthorized') return 'left'
    throw error
  }
}

async function drop(client: SearchClient, { name, uuid }: IndexId, signal: AbortSignal): Promise<boolean> {
  const found = await readIndex(client, name, signal)
  if (!found || uuidOf(found) !== uuid) return false
  const aliases = Object.keys(found.aliases ?? {})
  if (aliases.length > 0)
    throw new AppError('in_use', `the index ${name} has the alias ${aliases.join(', ')}`, {
      fix: 'Move the alias to another index first',
    })
  await deleteIndex(client, name, signal)
  return true
}

async function isSearched(
  client: SearchClient,
  { name, uuid }: IndexId,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await readIndex(client, name, signal)
  return found !== null && uuidOf(found) === uuid && found.aliases?.[client.address.index] !== undefined
}
