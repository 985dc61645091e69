import { AppError } from '../../../errors.ts'
import type { VectorShape } from '../../destination.ts'
import type { SearchClient } from '../client.ts'
import { ClusterError } from '../transport.ts'
import { findIndex, pathOf } from '../write/locate.ts'
import {
  alreadyExists,
  callWithPrivileges,
  countIn,
  deleteIndex,
  isIndexMissing,
  readAlias,
  readIndex,
  stagingAliasOf,
  uuidOf,
} from './alias.ts'

/** Settings that the cluster sets itself and refuses at creation. */
const CLUSTER_SETTINGS = [
  'uuid',
  'creation_date',
  'provided_name',
  'version',
  'resize',
  'routing',
  'blocks',
  'history',
]

/** Copies the current index, except for vectors of another dimension. */
export async function createStagedIndex(
  client: SearchClient,
  { name, shape }: { name: string; shape: VectorShape },
  signal: AbortSignal,
): Promise<{ uuid: string }> {
  const { address } = client
  const { index } = await readAlias(client, signal)
  const { engine } = await findIndex(client, 'call', signal)
  const { embeddings, ...properties } = index.mappings?.properties ?? {}
  const fits = embeddings && (shape.dims === null || engine.dimsOf(embeddings) === shape.dims)
  const mappings = { ...index.mappings, properties: fits ? { ...properties, embeddings } : properties }
  const settings = Object.fromEntries(
    Object.entries(index.settings?.index ?? {}).filter(([key]) => !CLUSTER_SETTINGS.includes(key)),
  )
  const forVectors = shape.dims === null ? {} : engine.creationBody?.settings.index
  await callWithPrivileges(
    client,
    {
      doing: 'creating a new index for',
      method: 'PUT',
      path: pathOf(name),
      body: {
        settings: { index: { ...settings, ...forVectors } },
        mappings,
        aliases: { [stagingAliasOf(name)]: {} },
      },
      recover: (failure) => (alreadyExists(failure) ? {} : undefined),
    },
    signal,
  )
  const created = await readIndex(client, name, signal)
  const aliases = Object.keys(created?.aliases ?? {})
  if (!created || !aliases.includes(stagingAliasOf(name)) || (await countIn(client, name, signal)) > 0)
    throw new AppError(
      'destination_schema',
      `the index ${name} at ${address.hosts} is not the one that was created`,
    )
  const unwanted = aliases.filter((alias) => alias !== stagingAliasOf(name))
  if (unwanted.length > 0) {
    await deleteIndex(client, name, signal)
    throw new AppError(
      'destination_schema',
      `an index template gives ${unwanted.join(', ')} to every new index for ${address.index} at ${address.hosts}, so searches would see it before it is complete`,
      { fix: 'Remove the aliases from the template, or switch swap_index off' },
    )
  }
  await requireMustExist(client, name, signal)
  return { uuid: uuidOf(created) }
}

/** Checks before hours of work that the cluster knows `must_exist`, which stops late requests. */
async function requireMustExist(client: SearchClient, name: string, signal: AbortSignal): Promise<void> {
  const actions = [{ remove: { index: name, alias: `${stagingAliasOf(name)}-none`, must_exist: true } }]
  const outcome = await callWithPrivileges<'missing' | 'unknown' | object>(
    client,
    {
      doing: 'testing an alias move for',
      method: 'POST',
      path: '/_aliases',
      body: { actions },
      recover: (failure) =>
        isIndexMissing(failure)
          ? 'missing'
          : failure instanceof ClusterError && failure.status === 400
            ? 'unknown'
            : undefined,
    },
    signal,
  )
  if (outcome === 'missing') return
  throw new AppError(
    'destination_schema',
    `the cluster at ${client.address.hosts} does not know must_exist, which a safe alias move needs`,
    { fix: 'Use Elasticsearch 8 or OpenSearch from 2.12 on, or switch swap_index off' },
  )
}
