import { parseArgs } from 'node:util'
import { EnvironmentError, readEnvironment } from '../src/environment.ts'
import { attachSearchEngine, type SearchEngine } from '../test/world/search-engine/attach.ts'

/** The arguments of the demo; a wrong value is one line that names it, before anything starts. */
export type DemoArguments = { once: boolean; port: number; engine: SearchEngine | null }

export async function readArguments(
  env: NodeJS.ProcessEnv,
  argv: string[],
  signal: AbortSignal,
): Promise<DemoArguments> {
  const once = readOnce(argv)
  const { port } = readEnvironment({ PORT: env.PORT }, [])
  const address = env.MILLRACE_DEMO_SEARCH_URL
  return { once, port, engine: address ? await connectEngine(address, signal) : null }
}

function readOnce(argv: string[]): boolean {
  try {
    return parseArgs({ args: argv, options: { once: { type: 'boolean', default: false } } }).values.once
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(/\.\s|\n/)[0] ?? '') : ''
    throw new EnvironmentError(`${reason}; the only option is --once`)
  }
}

async function connectEngine(address: string, signal: AbortSignal): Promise<SearchEngine> {
  const url = /^https?:\/\//.test(address) && URL.canParse(address) ? new URL(address) : null
  if (!url) throw wrong('is not an address such as http://user:password@127.0.0.1:9200')
  const adminAuth = { username: decoded(url.username), password: decoded(url.password) }
  if (!adminAuth.username) throw wrong('needs a user who may make an index and a key: http://user:password@…')
  url.username = ''
  url.password = ''
  const engine = attachSearchEngine(url.href, adminAuth)
  await prove(engine, url.host, signal)
  return engine
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrong('holds a % that begins no escape; a % in a password is written %25')
  }
}

// A local search engine answers within milliseconds, even while it starts.
const PATIENCE_MS = 10_000

async function prove(engine: SearchEngine, host: string, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(PATIENCE_MS)
  const either = AbortSignal.any([signal, late])
  const answered = await Promise.race([engine.adminFetch('/'), rejected(either)]).catch((error: Error) => {
    signal.throwIfAborted()
    const code = error.cause instanceof Error && 'code' in error.cause ? ` (${error.cause.code})` : ''
    throw wrong(late.aborted ? `: ${host} does not answer` : `: nothing answers at ${host}${code}`)
  })
  if (answered.status === 401 || answered.status === 403)
    throw wrong(`: ${host} refuses this user and password`)
  const about = (await answered.json().catch(() => null)) as { version?: { number?: unknown } } | null
  if (!answered.ok || !about?.version?.number)
    throw wrong(`: what answers at ${host} is not an Elasticsearch`)
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
}

function wrong(why: string): EnvironmentError {
  return new EnvironmentError(`MILLRACE_DEMO_SEARCH_URL${why.startsWith(':') ? '' : ' '}${why}`)
}
