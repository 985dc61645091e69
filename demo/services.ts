import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Millrace as MillraceClient } from '../packages/millrace-client/src/client.ts'
import type { SearchEngine } from '../test/world/search-engine/attach.ts'
import { MissingTool } from '../test/world/search-engine/build.ts'
import { startSearchEngine } from '../test/world/search-engine/engine.ts'
import { type Millrace, startMillrace } from '../test/world/service.ts'
import { startWiki, type Wiki } from '../test/world/wiki/start.ts'
import type { DemoArguments } from './arguments.ts'
import { type DemoDestination, indexDestination, sandboxDestination } from './destination.ts'
import { paragraph } from './lines.ts'

/** The service, a simulated wiki with the sample pages, and Elasticsearch with an empty index, or else the sandbox. */
export type DemoServices = {
  wiki: Wiki
  destination: DemoDestination
  millrace: Millrace
  url: string
  key: string
  client: MillraceClient
  /** For signing in; the password is new with each database. */
  person: { email: string; password: string }
  close(): Promise<void>
}

type Closing = (() => Promise<unknown>)[]

export async function openServices(options: DemoArguments, signal: AbortSignal): Promise<DemoServices> {
  console.log('\n  Millrace copies a wiki into a search index, with its permissions.\n')
  const closing: Closing = []
  const close = async () => {
    // A failure to close one must not keep the others open.
    for (const each of closing.splice(0).reverse()) {
      await each().catch((error) => console.error(paragraph(`closing: ${error.message}`)))
    }
  }
  try {
    const key = `mr_${randomBytes(24).toString('base64url')}`
    const person = { email: 'demo@millrace.example', password: randomBytes(9).toString('base64url') }
    const wiki = await startWiki({ sample: 'demo' })
    closing.push(() => wiki.stop())
    // Both at once, because neither needs the other to start.
    const [engine, millrace] = await both(
      options.sandbox ? Promise.resolve(null) : engineIfPossible(options, signal, closing),
      step('Millrace, on its embedded PostgreSQL', () =>
        openMillrace({ allowedHosts: hostsOf(options, wiki), key, person, port: options.port }, closing),
      ),
    )
    signal.throwIfAborted()
    const url = millrace.url ?? ''
    const destination = engine ? await createIndex(engine, closing) : sandboxDestination
    console.log()
    return { wiki, destination, millrace, url, key, client: new MillraceClient({ url, key }), person, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Waits for both even if one fails, so that `close` finds all that started. */
async function both<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second])
  return [await first, await second]
}

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const done = await work()
  console.log(`  ✓ ${what.padEnd(40)} ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return done
}

/** An engine of the demo gets a free port while the service starts. */
function hostsOf({ sandbox, engine }: DemoArguments, { siteUrl }: Wiki): string[] {
  const { host } = new URL(siteUrl)
  if (sandbox) return [host]
  return [host, engine ? new URL(engine.url).host : '127.0.0.1']
}

/** Null on a machine without a JDK and Maven. */
async function engineIfPossible(
  options: DemoArguments,
  signal: AbortSignal,
  closing: Closing,
): Promise<SearchEngine | null> {
  try {
    return await step('a real Elasticsearch', async () => options.engine ?? openEngine(signal, closing))
  } catch (error) {
    if (!(error instanceof MissingTool)) throw error
    console.log('  Without Java and Maven, the demo uses the sandbox in its own PostgreSQL.')
    return null
  }
}

async function createIndex(engine: SearchEngine, closing: Closing): Promise<DemoDestination> {
  const index = `millrace-demo-${randomBytes(3).toString('hex')}`
  const made = await engine.adminFetch(`/${index}`, {
    method: 'PUT',
    body: { settings: { number_of_replicas: 0 } },
  })
  if (!made.ok) throw new Error(`Elasticsearch did not create the index: ${await made.text()}`)
  closing.push(() => engine.adminFetch(`/${index}`, { method: 'DELETE' }))
  return indexDestination(engine, index)
}

async function openEngine(signal: AbortSignal, closing: Closing): Promise<SearchEngine> {
  const engine = await startSearchEngine({
    log: (line) => console.log(paragraph(line, '    ')),
    signal,
    docker: false,
  })
  closing.push(() => engine.stop())
  return engine
}

type MillraceSettings = Pick<DemoServices, 'key' | 'person'> & { allowedHosts: string[]; port: number }

async function openMillrace(
  { allowedHosts, key, person, port }: MillraceSettings,
  closing: Closing,
): Promise<Millrace> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-demo-'))
  // As root, PostgreSQL's own account needs access here.
  await chmod(directory, 0o711)
  closing.push(() => rm(directory, { recursive: true, force: true }))
  const startOn = (port: number) =>
    startMillrace({
      allowedHosts,
      env: {
        PORT: String(port),
        MILLRACE_DATA_DIR: join(directory, 'data'),
        MILLRACE_MASTER_KEY: '',
        MILLRACE_SETUP_API_KEY: key,
        MILLRACE_SETUP_EMAIL: person.email,
        MILLRACE_SETUP_PASSWORD: person.password,
      },
    })
  // The default port, or any free one, for a second demo.
  const millrace = await startOn(port).catch((error: Error) => {
    if (!error.message.includes(`port ${port} is taken`)) throw error
    return startOn(0)
  })
  closing.push(() => millrace.end('SIGTERM'))
  return millrace
}
