import { AppError } from '../../errors.ts'
import type { IndexCreation, VectorShape } from '../destination.ts'
import type { SearchClient } from './client.ts'
import { elasticsearch } from './engines/elasticsearch.ts'
import type { SearchEngine } from './engines/engine.ts'
import { heldPrivileges } from './privileges.ts'
import { creationBodyFor } from './schema/schema.ts'
import { alreadyExists, isIndexMissing } from './swap/alias.ts'
import { CredentialsRejected, creationCommand } from './translate.ts'
import type { ClusterError, NoResponse } from './transport.ts'
import { pathOf, readRootEngine } from './write/locate.ts'

/** Creates the index with its whole schema, so that later jobs need no `manage`. */
export function createIndexCreation(client: SearchClient): IndexCreation {
  return {
    plan: (shape, signal) => planCreation(client, shape, signal),
    async run(shape, signal) {
      const { exists, request, command } = await planCreation(client, shape, signal)
      if (exists) return { created: false }
      try {
        const existing = { acknowledged: false }
        const recover = (failure: ClusterError | NoResponse) =>
          alreadyExists(failure) ? existing : undefined
        const sent = { method: 'PUT' as const, path: request.path, body: request.body, recover }
        return { created: (await client.once<object>('creating', sent, signal)) !== existing }
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'destination_unauthorized') throw error
        const { credentials } = client.address
        const fix = `Create it with other credentials: ${command}`
        const what = `creating index ${client.address.index}: ${credentials.holder} may not create it`
        throw new AppError('destination_unauthorized', what, { fix, cause: error })
      }
    },
  }
}

async function planCreation(client: SearchClient, { dims }: VectorShape, signal: AbortSignal) {
  const { address } = client
  const exists = await indexExists(client, signal)
  const engine = address.engine ?? (await readRootEngine(client, signal)) ?? elasticsearch
  const body = creationBodyFor(dims, engine)
  const request = { method: 'PUT', path: pathOf(address.index), body }
  const allowed = await mayCreate(client, engine, signal)
  const command = creationCommand({ ...address, engine }, body)
  return { name: address.index, exists, allowed, request, command }
}

/** Null if the credentials may not see the index. */
async function indexExists(client: SearchClient, signal: AbortSignal): Promise<boolean | null> {
  const recover = (failure: ClusterError | NoResponse) => (isIndexMissing(failure) ? {} : undefined)
  const request = { method: 'GET' as const, path: pathOf(client.address.index), recover }
  try {
    return Object.keys(await client.once<object>('reading', request, signal)).length > 0
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'destination_unauthorized'
    if (isRefused && !(error instanceof CredentialsRejected)) return null
    throw error
  }
}

async function mayCreate(
  client: SearchClient,
  engine: SearchEngine,
  signal: AbortSignal,
): Promise<boolean | null> {
  if (!engine.reportsPrivileges) return null
  const { index } = client.address
  try {
    const held = await heldPrivileges(client, { names: [index], privileges: ['create_index'] }, signal)
    return held[index]?.create_index === true
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return null
  }
}
