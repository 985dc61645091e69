import { AppError } from '../../../errors.ts'
import type { IndexAt } from '../../connector.ts'
import type { ClusterCall, SearchClient } from '../client.ts'
import type { Mapping } from '../schema/schema.ts'
import { ClusterError, type NoResponse } from '../transport.ts'
import { pathOf } from '../write/locate.ts'

type Alias = { is_write_index?: boolean } & Record<string, unknown>
export type Index = {
  aliases?: Record<string, Alias>
  mappings?: Mapping
  settings?: { index?: Record<string, unknown> & { uuid?: string } }
  data_stream?: string
}
export type AliasedIndex = { at: IndexAt; index: Index }

/** Refuses an alias that a swap cannot move completely. */
export async function readAlias(client: SearchClient, signal: AbortSignal): Promise<AliasedIndex> {
  const { place } = client
  const answer = await client.call<Record<string, Index>>(
    'reading',
    { method: 'GET', path: pathOf(place.index) },
    signal,
  )
  const refuse = (what: string, fix: string) =>
    new AppError('destination_schema', `${place.index} at ${place.hosts} ${what}`, { fix })
  const [found, ...others] = Object.entries(answer)
  if (!found || others.length > 0)
    throw refuse(
      `stands for ${others.length + (found ? 1 : 0)} indexes, and a swap moves an alias of one`,
      'Leave one index behind the alias, or switch swap_index off',
    )
  const [name, index] = found
  if (name === place.index || index.data_stream)
    throw refuse(
      'is no alias, and a swap moves an alias from one index to the next',
      'Give index_name the name of an alias of one index, or switch swap_index off',
    )
  const { is_write_index: _, ...more } = index.aliases?.[place.index] ?? {}
  if (Object.keys(more).length > 0)
    throw refuse(
      `is an alias with ${Object.keys(more).join(', ')}, which a swap does not carry over`,
      'Use a plain alias, or switch swap_index off',
    )
  const beside = Object.keys(index.aliases ?? {}).filter((alias) => alias !== place.index)
  if (beside.length > 0)
    throw refuse(
      `stands for index ${name}, as ${beside.join(', ')} does, which would go on showing the old one`,
      'Take the other aliases from the index, or switch swap_index off',
    )
  return { at: { name, uuid: uuidOf(index) }, index }
}

/** By its own name only; null if it does not exist. */
export async function readIndex(
  client: SearchClient,
  name: string,
  signal: AbortSignal,
): Promise<Index | null> {
  const answer = await callWithRights<Record<string, Index>>(
    client,
    {
      doing: 'reading what stands beside',
      method: 'GET',
      path: pathOf(name),
      settles: (failure) => (isIndexMissing(failure) ? {} : undefined),
    },
    signal,
  )
  return answer[name] ?? null
}

export async function countIn(client: SearchClient, name: string, signal: AbortSignal): Promise<number> {
  const { count } = await callWithRights<{ count: number }>(
    client,
    { doing: 'counting what stands beside', method: 'GET', path: `${pathOf(name)}/_count` },
    signal,
  )
  return count
}

export async function deleteIndex(client: SearchClient, name: string, signal: AbortSignal): Promise<void> {
  const request: ClusterCall<object> & { doing: string } = {
    doing: 'removing an index beside',
    method: 'DELETE',
    path: pathOf(name),
    settles: (failure) => (isIndexMissing(failure) ? {} : undefined),
  }
  await callWithRights(client, request, signal)
}

/** The privileges are needed on names other than the destination's. */
export async function callWithRights<T>(
  client: SearchClient,
  { doing, ...request }: ClusterCall<T> & { doing: string },
  signal: AbortSignal,
): Promise<T> {
  try {
    return await client.call<T>(doing, request, signal)
  } catch (error) {
    throw withRightsFix(error, client)
  }
}

export function withRightsFix(error: unknown, client: SearchClient): unknown {
  if (!(error instanceof AppError) || error.code !== 'destination_unauthorized') return error
  return new AppError(error.code, error.message, { cause: error, fix: rightsFix(client) })
}

export function ticketOf(name: string): string {
  return `${name}-filling`
}

export function uuidOf({ settings }: Index): string {
  return settings?.index?.uuid ?? ''
}

export function isIndexMissing(failure: ClusterError | NoResponse): boolean {
  return failure instanceof ClusterError && failure.status === 404
}

export const SWAP_RIGHTS = ['read', 'write', 'view_index_metadata', 'manage']

export function rightsFix({ place }: SearchClient): string {
  return `Give ${place.credentials.holder} ${SWAP_RIGHTS.join(', ')} on ${place.index}, ${place.index}-* and the index behind it`
}
