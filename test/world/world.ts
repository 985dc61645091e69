import { randomBytes } from 'node:crypto'
import { type Api, apiOf } from './api.ts'
import { freshDatabase } from './postgres.ts'
import type { SearchEngine } from './search-engine/attach.ts'
import { searchEngine } from './search-engine/shared.ts'
import { type Millrace, type ServiceOptions, startMillrace } from './service.ts'
import { accounts } from './wiki/accounts.ts'
import { startWiki, type Wiki, type WikiOptions } from './wiki/start.ts'

/** A world for one journey: a wiki, a database, its own index, and the service between them. */
export type World = {
  wiki: Wiki
  engine: SearchEngine
  index: string
  indexKey: string
  databaseUrl: string
  millrace: Millrace
  api: Api
  /** Starts another process on the same database, or the service again after its end. */
  start(role?: ServiceOptions['role']): Promise<Millrace>
  restart(): Promise<void>
  close(): Promise<void>
}

export type WorldOptions = { wiki?: WikiOptions; role?: ServiceOptions['role']; env?: Record<string, string> }

export async function openWorld({
  wiki: wikiOptions = {},
  role = 'all',
  env = {},
}: WorldOptions = {}): Promise<World> {
  const [wiki, engine, database] = await Promise.all([
    startWiki(wikiOptions),
    searchEngine(),
    freshDatabase(),
  ])
  const index = `journey-${randomBytes(5).toString('hex')}`

  // Nothing listens on port 9, for journeys that need an unreachable wiki.
  const addresses = [wiki.siteUrl, wiki.dataCenterUrl, wiki.mediaUrl, engine.url]
  const allowedHosts = [...addresses.map((address) => new URL(address).host), '127.0.0.1:9']
  const started: Millrace[] = []
  const start = async (wanted: ServiceOptions['role'] = 'all') => {
    const millrace = await startMillrace({ databaseUrl: database.url, allowedHosts, role: wanted, env })
    started.push(millrace)
    return millrace
  }
  const clearUp = async () => {
    await Promise.all(started.map((each) => each.end('SIGKILL')))
    await engine.adminFetch(`/${index}`, { method: 'DELETE' })
    await wiki.stop()
    await database.drop()
  }
  const [millrace, { encoded }] = await Promise.all([
    start(role),
    engine.createApiKey(index),
    createIndex(engine, index),
  ]).catch(async (error) => {
    await clearUp()
    throw error
  })

  const world: World = {
    wiki,
    engine,
    index,
    indexKey: encoded,
    databaseUrl: database.url,
    millrace,
    api: apiOf(millrace.url ?? ''),
    start,
    async restart() {
      world.millrace = await start(role)
      world.api = apiOf(world.millrace.url ?? '')
    },
    close: clearUp,
  }
  return world
}

export async function createIndex(engine: SearchEngine, index: string, body: object = {}): Promise<void> {
  const settings = { number_of_replicas: 0, refresh_interval: '1s' }
  const response = await engine.adminFetch(`/${index}`, { method: 'PUT', body: { settings, ...body } })
  if (!response.ok) throw new Error(`creating the index ${index}: ${await response.text()}`)
}

export const crawler = accounts.crawler

/** Settings of a source for the world's wiki, as a user would send them. */
export function wikiConfig(world: World, more: object = {}): Record<string, unknown> {
  return {
    url: world.wiki.siteUrl,
    username: crawler.email,
    token: crawler.apiToken,
    cloud: true,
    max_num_of_docs_from_each_space: 10_000,
    ...more,
  }
}

export function indexConfig(world: World, more: object = {}): Record<string, unknown> {
  return { hosts: [world.engine.url], index_name: world.index, search_api_key: world.indexKey, ...more }
}
