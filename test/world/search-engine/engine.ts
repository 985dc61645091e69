import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { attachOpenSearch, attachSearchEngine, type SearchEngine } from './attach.ts'
import { buildEngine, ELASTICSEARCH, ELASTICSEARCH_9, MissingTool, OPENSEARCH, type Recipe } from './build.ts'
import { dockerWorks, startInDocker } from './docker.ts'
import { addressOf, launch, QUICK_START } from './launch.ts'

export type RunningEngine = SearchEngine & { pid: number; stop(): Promise<void> }

export type EngineOptions = {
  home: string | undefined
  heapMb: number
  fullJit: boolean
  log: (line: string) => void
  signal: AbortSignal | undefined
  password: string
}
export type StartedEngine = { child: ChildProcess; url: string; username: string }

type Options = {
  home?: string
  heapMb?: number
  /** As an installed engine runs: it starts later and then indexes faster. */
  fullJit?: boolean
  log?: (line: string) => void
  signal?: AbortSignal
}
/** `docker: false` fails without a JDK and Maven. */
type SearchEngineOptions = Options & { docker?: false }

/** A real Elasticsearch on a free port. It ends with this process and never keeps it alive. */
export async function startSearchEngine(options: SearchEngineOptions = {}): Promise<RunningEngine> {
  const engineOptions = withDefaults(options)
  const { child, url, username } = await startWithJava(ELASTICSEARCH, engineOptions).catch(async (error) => {
    const mayUseDocker = error instanceof MissingTool && options.docker !== false
    if (mayUseDocker && (await dockerWorks())) return startInDocker(engineOptions)
    throw error
  })
  const engine = attachSearchEngine(url, { username, password: engineOptions.password })
  return running(engine, child, engineOptions)
}

/** Version 9, with a JDK 21 or newer; null without one. */
export async function startElasticsearch9(options: Options = {}): Promise<RunningEngine | null> {
  const engineOptions = withDefaults(options)
  const started = await startWithJava(ELASTICSEARCH_9, engineOptions).catch((error) => {
    if (error instanceof MissingTool) return null
    throw error
  })
  if (!started) return null
  const { child, url, username } = started
  return running(
    attachSearchEngine(url, { username, password: engineOptions.password }),
    child,
    engineOptions,
  )
}

/** A real OpenSearch with k-NN and without security, otherwise the same. */
export async function startOpenSearch(options: Options = {}): Promise<RunningEngine> {
  const engineOptions = withDefaults(options)
  const { child, url } = await startWithJava(OPENSEARCH, engineOptions)
  return running(attachOpenSearch(url), child, engineOptions)
}

function withDefaults({
  home,
  heapMb = 512,
  fullJit = false,
  log = () => {},
  signal,
}: Options): EngineOptions {
  return { home, heapMb, fullJit, log, signal, password: randomBytes(18).toString('base64url') }
}

async function running(engine: SearchEngine, child: ChildProcess, { signal }: EngineOptions) {
  try {
    await ready(engine, child, signal)
  } catch (error) {
    await stop(child)
    throw error
  }
  unrefPipes(child)
  return { ...engine, pid: child.pid ?? -1, stop: () => stop(child) }
}

async function startWithJava(
  recipe: Recipe,
  { home, heapMb, fullJit, log, signal, password }: EngineOptions,
): Promise<StartedEngine> {
  const build = await buildEngine(recipe, { log, signal })
  const directory = home ?? (await mkdtemp(join(tmpdir(), 'millrace-search-')))
  const child = await launch({
    ...{ engine: recipe.folder, build, directory, isTemporary: home === undefined, password },
    options: [
      `-Xms${heapMb}m`,
      `-Xmx${heapMb}m`,
      ...(fullJit ? ['-XX:+UseG1GC'] : QUICK_START),
      // Without the file it starts slowly.
      `-XX:SharedArchiveFile=${build.archive}`,
    ],
  })
  const abort = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return { child, url: await addressOf(child), username: 'admin' }
  } catch (error) {
    await stop(child)
    if (!home) await rm(directory, { recursive: true, force: true })
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** The first API key creates the `.security` index, which takes a second. */
async function ready(
  engine: SearchEngine,
  child: ChildProcess,
  signal: AbortSignal | undefined,
): Promise<void> {
  const until = Date.now() + 120_000
  for (;;) {
    const key = await engine.createApiKey('warm-up').catch((error: unknown) => error)
    if (!(key instanceof Error)) return
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > until) throw key
    await sleep(200, undefined, { signal })
  }
}

function unrefPipes(child: ChildProcess): void {
  child.unref()
  // Pipes of a child are sockets; the general stream types have no unref.
  for (const pipe of [child.stdin, child.stdout, child.stderr]) {
    ;(pipe as (Readable | Writable) & { unref?: () => void })?.unref?.()
  }
}

/** Closing its input ends the engine, which deletes its temporary home itself. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const ended = once(child, 'exit')
  child.stdin?.destroy()
  const limit = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await ended
  clearTimeout(limit)
}
