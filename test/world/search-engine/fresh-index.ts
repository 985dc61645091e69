import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { Agent } from 'undici'
import type { WriteItem } from '../../../src/connectors/destination.ts'
import type { Egress } from '../../../src/connectors/egress/egress.ts'
import { elementKey } from '../../../src/connectors/kit/stored-element.ts'
import { openSearchIndex, type SearchIndex } from '../../../src/connectors/searchindex/destination.ts'
import { INDEX_PRIVILEGES, type SearchEngine } from './attach.ts'
import { type Cluster, ELASTICSEARCH } from './clusters.ts'

/** Allows everything: the guard has its own tests. */
export function openEgress(): Egress {
  const dispatcher = new Agent()
  const egress: Egress = {
    refusal: () => null,
    isAllowed: () => true,
    socket: () => new Socket(),
    sandbox: null,
    dispatcher,
    request: () => Promise.reject(new Error('only the dispatcher is used here')),
    untrusted: {
      refusal: () => null,
      request: () => Promise.reject(new Error('only the dispatcher is used here')),
    },
    trusting: () => egress,
    close: () => dispatcher.close(),
  }
  return egress
}

export const silent = { debug() {}, info() {}, warn() {}, error() {} }

export type FreshIndex = AsyncDisposable & {
  engine: SearchEngine
  name: string
  key: string
  destination: SearchIndex
  /** The mapping as the engine returns it. */
  mapping(): Promise<object | undefined>
  source(recordId: string, elementId: string): Promise<Record<string, unknown> | undefined>
  refresh(): Promise<void>
  count(): Promise<number>
}

/**
 * A test's own index and a destination on it. `body` null creates no index; `extraIndex` adds an unwritten index to
 * the alias; `url` may be a proxy.
 */
export async function freshIndex(
  options: {
    cluster?: Cluster
    prefix?: string
    body?: object | null
    kind?: 'index' | 'alias'
    extraIndex?: boolean
    privileges?: string[]
    url?: string | string[]
    key?: string
    keyFor?: string
  } = {},
): Promise<FreshIndex> {
  const { cluster = ELASTICSEARCH } = options
  const engine = await cluster.engine()
  const name = `${options.prefix ?? 'world-'}${randomUUID()}`
  const concrete = options.kind === 'alias' ? `${name}-1` : name
  if (options.body !== null) {
    const aliases = { [name]: { is_write_index: true } }
    const body = { settings: cluster.settings, ...(options.kind === 'alias' ? { aliases } : options.body) }
    const made = await engine.adminFetch(`/${concrete}`, { method: 'PUT', body })
    if (!made.ok) throw new Error(await made.text())
  }
  const extra = options.extraIndex ? `${name}-0` : null
  if (extra)
    await engine.adminFetch(`/${extra}`, {
      method: 'PUT',
      body: { aliases: { [name]: { is_write_index: false } } },
    })
  const names = extra ? [name, concrete] : [options.keyFor ?? name]
  const privileges = options.privileges ?? INDEX_PRIVILEGES
  const key = options.key ?? (await engine.createApiKey({ indices: [{ names, privileges }] })).encoded
  const egress = openEgress()
  const config = { hosts: [options.url ?? engine.url].flat(), search_api_key: key, index_name: name }
  const pace = { attempts: 3, firstMs: 10, maxMs: 20 }
  const destination = openSearchIndex(config, { egress, log: silent }, pace)
  const json = async <T>(path: string) => (await engine.adminFetch(path)).json() as Promise<T>
  return {
    engine,
    name,
    key,
    destination,
    mapping: async () =>
      (await json<Record<string, { mappings: object }>>(`/${name}/_mapping`))[concrete]?.mappings,
    source: async (recordId, elementId) =>
      (await json<{ _source?: Record<string, unknown> }>(`/${name}/_doc/${elementKey(recordId, elementId)}`))
        ._source,
    refresh: async () => void (await engine.adminFetch(`/${name}/_refresh`, { method: 'POST' })),
    count: async () => {
      await engine.adminFetch(`/${name}/_refresh`, { method: 'POST' })
      return (await json<{ count: number }>(`/${name}/_count`)).count
    },
    [Symbol.asyncDispose]: async () => {
      await destination.close()
      await egress.close()
      await engine.adminFetch(`/${concrete}`, { method: 'DELETE' })
      if (extra) await engine.adminFetch(`/${extra}`, { method: 'DELETE' })
    },
  }
}

/** An element as the pipeline creates it, readable through the given clauses. */
export function writeItem(
  id: string,
  options: { text?: string; access?: Record<string, string[]>; embeddings?: number[]; more?: object } = {},
): WriteItem {
  return {
    recordId: 'wiki.test/1',
    element: {
      type: 'CompositeElement',
      element_id: id,
      text: options.text ?? `the text of ${id}`,
      metadata: { filename: '1.html', filetype: 'text/html', languages: ['eng'], page_number: 1 },
      ...(options.embeddings ? { embeddings: options.embeddings } : {}),
    },
    dataSource: {
      url: 'https://wiki.test/pages/1',
      version: '3',
      title: 'Sluice gates',
      record_locator: { space_key: 'MILL', page_id: '1' },
      labels: ['water'],
      permissions_data: [
        { read: { users: ['u:1'], groups: [] } },
        { update: { users: [], groups: [] } },
        { delete: { users: [], groups: [] } },
      ],
      access: options.access ?? { c0: ['user:u:1'] },
      ...options.more,
    },
  }
}
