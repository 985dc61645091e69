import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Indexed } from './agreement.ts'
import type { TestDestination } from './destination.ts'
import { createIndex, type IndexDestination, indexDestination } from './index-destination.ts'
import { compileCache } from './service.ts'
import { tableDestination } from './table-destination.ts'
import { accounts } from './wiki/accounts.ts'
import { startWiki, type Wiki, type WikiOptions } from './wiki/start.ts'
import type { World } from './world.ts'

/** A wiki and a folder for `millrace-ingest`, without service and database. */
export type IngestWorld = {
  wiki: Wiki
  folder: string
  /** The variables with the secrets of this world. */
  env: Record<string, string>
  /** The output of all runs. */
  output: string[]
  /** An empty index or table with the settings of a destination for it. */
  freshDestination(type?: TestDestination['type']): Promise<{ destination: object; seen: Seen }>
  /** Writes a job file into the folder. */
  job(name: string, job: object): Promise<string>
  start(args: string[], env?: Record<string, string>): Running
  run(args: string[], env?: Record<string, string>): Promise<IngestResult>
  close(): Promise<void>
}

/** What a comparison of a destination with a wiki needs. */
export type Seen = Pick<World, 'wiki' | 'destination'>
export type Running = { child: ChildProcess; ended: Promise<IngestResult> }
export type IngestResult = { code: number | null; signal: string | null; out: string; err: string }

export type DoneEvent = {
  counts: Record<
    'discovered' | 'new' | 'changed' | 'unchanged' | 'skipped' | 'failed' | 'removed',
    number
  > & {
    permissions_only: number
    elements: number
  }
  warnings: { code: string; message: string }[]
  held_back: number
  complete: boolean
  error: { code: string; message: string } | null
}

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
export const wikiToken = accounts.crawler.apiToken

export async function openIngest(options: WikiOptions): Promise<IngestWorld> {
  const [wiki, folder] = await Promise.all([startWiki(options), mkdtemp(join(tmpdir(), 'ingest-'))])
  const opened: TestDestination[] = []
  const env: Record<string, string> = { WIKI_TOKEN: wikiToken }
  const output: string[] = []

  const start = (args: string[], more: Record<string, string> = {}): Running => {
    const { PATH = '', HOME = '' } = process.env
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: folder,
      env: { PATH, HOME, ...compileCache(), ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const texts = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (text) => {
      texts.out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      texts.err += text
    })
    const ended = once(child, 'close').then(([code, signal]) => {
      output.push(texts.out, texts.err)
      return { code, signal, ...texts }
    })
    return { child, ended }
  }

  return {
    wiki,
    folder,
    env,
    output,
    async freshDestination(type = 'searchindex') {
      const destination = type === 'postgres' ? await tableDestination() : await newIndex(env)
      opened.push(destination)
      if (type === 'postgres') env.TABLE_PASSWORD = String(destination.config.password)
      const secret =
        type === 'postgres' ? { password: `\${TABLE_PASSWORD}` } : { search_api_key: `\${SEARCH_KEY}` }
      const config = { ...destination.config, ...secret }
      return { destination: { type, config }, seen: { wiki, destination } }
    },
    async job(name, job) {
      const path = join(folder, name)
      await writeFile(path, JSON.stringify(job))
      return path
    },
    start,
    run: (args, more) => start(args, more).ended,
    async close() {
      for (const destination of opened) await destination.close()
      await wiki.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** One key for all indexes of this world. */
async function newIndex(env: Record<string, string>): Promise<IndexDestination> {
  const destination = await indexDestination('ingest')
  const { engine, index } = destination
  env.SEARCH_KEY ??= (await engine.createApiKey('ingest-*')).encoded
  await createIndex(engine, index)
  return destination
}

export function wikiPart(wiki: Wiki, more: object = {}): object {
  const config = {
    url: wiki.siteUrl,
    cloud: true,
    username: accounts.crawler.email,
    token: `\${WIKI_TOKEN}`,
    max_num_of_docs_from_each_space: 100_000,
    ...more,
  }
  return { type: 'wiki', config }
}

export const WITHOUT_VECTORS = [{ type: 'partition' }, { type: 'chunk' }]

/** Every line of `--json`, parsed, and the last of them. */
export function eventsOf({ out, err }: IngestResult): { events: { event: string }[]; done: DoneEvent } {
  const events = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { event: string })
  const done = events.at(-1)
  if (done?.event !== 'done') throw new Error(`the run did not end: ${err}`)
  return { events, done: done as unknown as DoneEvent }
}

/** The content of a folder in the form of an index, without processing times, sorted. */
export async function folderElements(path: string): Promise<object[]> {
  const names = (await readdir(path)).filter((name) => name.endsWith('.jsonl'))
  const texts = await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))
  const lines = texts.flatMap((text) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Indexed['_source']),
  )
  return lines.map(withoutTimes).sort(byIds)
}

export function elementSources(elements: Indexed[]): object[] {
  return elements.map(({ _source }) => withoutTimes(_source)).sort(byIds)
}

function withoutTimes(source: Indexed['_source']): Indexed['_source'] {
  const { date_processed: _, ...about } = source.metadata.data_source
  // Unchanged except for that field.
  return { ...source, metadata: { ...source.metadata, data_source: about } } as Indexed['_source']
}

function byIds(a: Indexed['_source'], b: Indexed['_source']): number {
  const id = (source: Indexed['_source']) => `${source.record_id} ${source.element_id}`
  return id(a) < id(b) ? -1 : 1
}

/** No run of this world has printed a secret, in any form. */
export function assertNoSecretPrinted({ output, env }: IngestWorld): void {
  const all = output.join('\n')
  const { SEARCH_KEY: key = '', TABLE_PASSWORD: password } = env
  const [, secret] = atob(key).split(':')
  for (const value of [wikiToken, key, secret, password].flatMap((each) => each || [])) {
    const inBase64 = [0, 1, 2].map((shift) => btoa(`${'x'.repeat(shift)}${value}`).slice(4, -4))
    for (const form of [value, ...inBase64])
      assert.ok(!all.includes(form), `${form.slice(0, 4)}… is in the output of a run`)
  }
  assert.ok(all.length > 3000)
}

/** The lines of a run, whose counts have to add up however it ended. */
export function assertCountsAddUp(ran: IngestResult) {
  const { events, done } = eventsOf(ran)
  const { discovered, new: added, changed, unchanged, skipped, failed } = done.counts
  assert.equal(discovered, added + changed + unchanged + skipped + failed, JSON.stringify(done.counts))
  assert.equal(events.filter(({ event }) => event === 'failed').length, failed)
  return { events, done }
}

export function stateFileOf(job: string): string {
  return job.replace('.yaml', '.state.jsonl')
}

export function countRecords(lines: object[]): number {
  return new Set(lines.map((line) => (line as { record_id: string }).record_id)).size
}

export async function count({ destination }: Seen): Promise<number> {
  return (await destination.contents()).length
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Until the other process has made progress. */
export function shortPause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}
