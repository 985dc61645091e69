import { AppError } from '../../../errors.ts'
import type { IndexId } from '../../destination.ts'
import type { ClusterCall, SearchClient } from '../client.ts'
import { NOT_CONTROL } from '../control.ts'
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
export type AliasedIndex = { id: IndexId; index: Index }

/** Refuses an alias that a swap cannot move completely. */
export async function readAlias(client: SearchClient, signal: AbortSignal): Promise<AliasedIndex> {
  const { address } = client
  const response = await client.call<Record<string, Index>>(
    'reading',
    { method: 'GET', path: pathOf(address.index) },
    signal,
  )
  const refuse = (what: string, fix: string) =>
    new AppError('destination_schema', `${address.index} at ${address.hosts} ${what}`, { fix })
  const [found, ...others] = Object.entries(response)
  if (!found || others.length > 0)
    throw refuse(
      `points to ${others.length + (found ? 1 : 0)} indexes, and a swap needs an alias of one`,
      'Leave one index in the alias, or switch swap_index off',
    )
  const [name, index] = found
  if (name === address.index || index.data_stream)
    throw refuse(
      'is not an alias, and a swap moves an alias',
      'Set index_name to an alias of one index, or switch swap_index off',
    )
  const { is_write_index: _, ...more } = index.aliases?.[address.index] ?? {}
  if (Object.keys(more).length > 0)
    throw refuse(
      `is an alias with ${Object.keys(more).join(', ')}, which a swap does not copy`,
      'Use a plain alias, or switch swap_index off',
    )
  const otherAliases = Object.keys(index.aliases ?? {}).filter((alias) => alias !== address.index)
  if (otherAliases.length > 0)
    throw refuse(
      `points to index ${name}, which also has the alias ${otherAliases.join(', ')}; that would still point to the old index`,
      'Remove the other aliases, or switch swap_index off',
    )
  return { id: { name, uuid: uuidOf(index) }, index }
}

/** Reads an index by its own name, not by alias; null if it does not exist. */
export async function readIndex(
  client: SearchClient,
  name: string,
  signal: AbortSignal,
): Promise<Index | null> {
  const response = await callWithPrivileges<Record<string, Index>>(
    client,
    {
      doing: 'reading an index swapped with',
      method: 'GET',
      path: pathOf(name),
      recover: (failure) => (isIndexMissing(failure) ? {} : undefined),
    },
    signal,
  )
  return response[name] ?? null
}

export async function countIn(client: SearchClient, name: string, signal: AbortSignal): Promise<number> {
  const { count } = await callWithPrivileges<{ count: number }>(
    client,
    {
      doing: 'counting elements of an index swapped with',
      method: 'POST',
      path: `${pathOf(name)}/_count`,
      body: { query: NOT_CONTROL },
    },
    signal,
  )
  return count
}

export async function deleteIndex(client: SearchClient, name: string, signal: AbortSignal): Promise<void> {
  const request: ClusterCall<object> & { doing: string } = {
    doing: 'deleting an index swapped with',
    method: 'DELETE',
    path: pathOf(name),
    recover: (failure) => (isIndexMissing(failure) ? {} : undefined),
  }
  await callWithPrivileges(client, request, signal)
}

/** The privileges are needed on names other than the destination's. */
export async function callWithPrivileges<T>(
  client: SearchClient,
  { doing, ...request }: ClusterCall<T> & { doing: string },
  signal: AbortSignal,
): Promise<T> {
  try {
    return await client.call<T>(doing, request, signal)
  } catch (error) {
    throw withPrivilegesFix(error, client)
  }
}

export function withPrivilegesFix(error: unknown, client: SearchClient): unknown {
  if (!(error instanceof AppError) || error.code !== 'destination_unauthorized') return error
  return new AppError(error.code, error.message, { cause: error, fix: privilegesFix(client) })
}

export function stagingAliasOf(name: string): string {
  return `${name}-filling`
}

export function uuidOf({ settings }: Index): string {
  return settings?.index?.uuid ?? ''
}

export function isIndexMissing(failure: ClusterError | NoResponse): boolean {
  return failure instanceof ClusterError && failure.status === 404
}

export function alreadyExists(failure: ClusterError | NoResponse): boolean {
  const { error } = (failure instanceof ClusterError ? failure.body : {}) as { error?: { type?: string } }
  return error?.type === 'resource_already_exists_exception'
}

export const SWAP_PRIVILEGES = ['read', 'write', 'view_index_metadata', 'manage']

export function privilegesFix({ address }: SearchClient): string {
  return `Give ${address.credentials.holder} ${SWAP_PRIVILEGES.join(', ')} on ${address.index}, ${address.index}-* and the index it points to`
}
