import { type Api, apiOf } from './api.ts'
import { type TestDestination, testDestination } from './destination.ts'
import type { IndexDestination } from './index-destination.ts'
import { migratedDatabase } from './postgres.ts'
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts'
import type { SearchEngine } from './search-engine/attach.ts'
import { type Millrace, type ServiceOptions, startMillrace } from './service.ts'
import { passHeartbeat } from './silent-process.ts'
import { accounts } from './wiki/accounts.ts'
import { startWiki, type Wiki, type WikiOptions } from './wiki/start.ts'

/** A wiki, a database, a destination, and the service between them. */
export type World = {
  wiki: Wiki
  destination: TestDestination
  /** Of the destination, if it is an index. */
  readonly engine: SearchEngine
  readonly index: string
  readonly indexKey: string
  databaseUrl: string
  /** Between Millrace and its database, if `databaseFaults` is set. */
  databaseProxy: PostgresProxy | null
  millrace: Millrace
  api: Api
  /** Starts another process on the same database, or the service again after its end. */
  start(role?: ServiceOptions['role']): Promise<Millrace>
  /** Kills the service and saves the time after which others take over its tasks. */
  kill(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

export type WorldOptions = {
  wiki?: WikiOptions
  destination?: TestDestination['type']
  role?: ServiceOptions['role']
  env?: Record<string, string>
  /** Options of Node for the service. */
  flags?: string[]
  /** The service starts its own PostgreSQL; the caller stops it before `close`. */
  embeddedDatabase?: boolean
  /** Puts a proxy in front of the database; the value is the query of its address, such as `?query_timeout=1000`. */
  databaseFaults?: string
}

export async function openWorld({
  wiki: wikiOptions = {},
  destination: destinationType = 'searchindex',
  role = 'all',
  env = {},
  flags,
  embeddedDatabase = false,
  databaseFaults,
}: WorldOptions = {}): Promise<World> {
  const [wiki, destination, database] = await Promise.all([
    startWiki(wikiOptions),
    testDestination(destinationType),
    embeddedDatabase ? null : migratedDatabase(),
  ])
  const proxy = databaseFaults === undefined || !database ? null : await startPostgresProxy(database.url)

  // Nothing listens on port 9, for journeys that need an unreachable wiki.
  const addresses = [wiki.siteUrl, wiki.dataCenterUrl, wiki.mediaUrl].map((url) => new URL(url).host)
  const allowedHosts = [...addresses, destination.host, '127.0.0.1:9']
  const databaseUrl = proxy ? proxy.url + databaseFaults : database?.url
  const started: Millrace[] = []
  const start = async (wanted: ServiceOptions['role'] = 'all') => {
    const millrace = await startMillrace({
      ...{ allowedHosts, role: wanted, env },
      ...(databaseUrl ? { databaseUrl } : {}),
      ...(flags ? { flags } : {}),
    })
    started.push(millrace)
    return millrace
  }
  const clearUp = async () => {
    await Promise.all(started.map((each) => each.end('SIGKILL')))
    await destination.close()
    await wiki.stop()
    await proxy?.close()
    await database?.drop()
  }
  const [millrace] = await Promise.all([start(role), destination.create()]).catch(async (error) => {
    await clearUp()
    throw error
  })

  const world: World = {
    wiki,
    destination,
    get engine() {
      return indexOf(world).engine
    },
    get index() {
      return indexOf(world).index
    },
    get indexKey() {
      return indexOf(world).key
    },
    databaseUrl: database?.url ?? '',
    databaseProxy: proxy,
    millrace,
    api: apiOf(millrace.url ?? ''),
    start,
    async kill() {
      await world.millrace.end('SIGKILL')
      if (database) await passHeartbeat(database.url)
    },
    async restart() {
      world.millrace = await start(role)
      world.api = apiOf(world.millrace.url ?? '')
    },
    close: clearUp,
  }
  return world
}

export function indexOf({ destination }: Pick<World, 'destination'>): IndexDestination {
  if (!isIndex(destination)) throw new Error('the destination is not an index')
  return destination
}

function isIndex(destination: TestDestination): destination is IndexDestination {
  return destination.type === 'searchindex'
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

export function destinationConfig(world: World, more: object = {}): Record<string, unknown> {
  return { ...world.destination.config, ...more }
}
