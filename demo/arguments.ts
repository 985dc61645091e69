import { parseArgs } from 'node:util'
import { EnvironmentError, readEnvironment } from '../src/environment.ts'
import { attachSearchEngine, type SearchEngine } from '../test/world/search-engine/attach.ts'

/** A wrong value fails with one line before anything starts. */
export type DemoArguments = {
  once: boolean
  /** Uses the sandbox even if a search engine could start. */
  sandbox: boolean
  port: number
  engine: SearchEngine | null
}

export async function readArguments(
  env: NodeJS.ProcessEnv,
  argv: string[],
  signal: AbortSignal,
): Promise<DemoArguments> {
  const { once, sandbox } = readFlags(argv)
  const { port } = readEnvironment({ PORT: env.PORT }, [])
  const address = env.MILLRACE_DEMO_SEARCH_URL
  const engine = address && !sandbox ? await connectEngine(address, signal) : null
  return { once, sandbox, port, engine }
}

function readFlags(argv: string[]): Pick<DemoArguments, 'once' | 'sandbox'> {
  try {
    const flag = { type: 'boolean', default: false } as const
    return parseArgs({ args: argv, options: { once: flag, sandbox: flag } }).values
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(/\.\s|\n/)[0] ?? '') : ''
    throw new EnvironmentError(`${reason}; the options are --once and --sandbox`)
  }
}

async function connectEngine(address: string, signal: AbortSignal): Promise<SearchEngine> {
  const url = /^https?:\/\//.test(address) && URL.canParse(address) ? new URL(address) : null
  if (!url) throw invalidSearchUrl('is not an address such as http://user:password@127.0.0.1:9200')
  const adminAuth = { username: decoded(url.username), password: decoded(url.password) }
  if (!adminAuth.username)
    throw invalidSearchUrl('needs a user who may create an index and a key: http://user:password@…')
  url.username = ''
  url.password = ''
  const engine = attachSearchEngine(url.href, adminAuth)
  await checkEngine(engine, url.host, signal)
  return engine
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidSearchUrl('contains a % that is not part of an escape; write % in a password as %25')
  }
}

// A local search engine answers within milliseconds, even while it starts.
const TIMEOUT_MS = 10_000

async function checkEngine(engine: SearchEngine, host: string, signal: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const either = AbortSignal.any([signal, timeout])
  const answered = await Promise.race([engine.adminFetch('/'), rejected(either)]).catch((error: Error) => {
    signal.throwIfAborted()
    const code = error.cause instanceof Error && 'code' in error.cause ? ` (${error.cause.code})` : ''
    throw invalidSearchUrl(
      timeout.aborted ? `: ${host} does not answer` : `: nothing answers at ${host}${code}`,
    )
  })
  if (answered.status === 401 || answered.status === 403)
    throw invalidSearchUrl(`: ${host} refuses this user and password`)
  const about = (await answered.json().catch(() => null)) as { version?: { number?: unknown } } | null
  if (!answered.ok || !about?.version?.number)
    throw invalidSearchUrl(`: the server at ${host} is not an Elasticsearch`)
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
}

function invalidSearchUrl(why: string): EnvironmentError {
  return new EnvironmentError(`MILLRACE_DEMO_SEARCH_URL${why.startsWith(':') ? '' : ' '}${why}`)
}
