import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { LESS_MEMORY } from '../src/node-options.ts'
import { finish, makeFlow, PLAIN_NODES, startRun } from '../test/world/flow.ts'
import { startSearchEngine } from '../test/world/search-engine/engine.ts'
import { TEST_KEY } from '../test/world/service.ts'
import { openWorld, type World } from '../test/world/world.ts'
import { memoryOf, watchMemory } from './process-memory.ts'
import { processorSeconds } from './process-tree.ts'
import { machine, saveResult } from './results.ts'

/**
 * `npm run bench:memory`: peak memory of the service with its PostgreSQL at two sizes, and while it reads uploads,
 * with the options of `npm start`. Figures in MB, from outside; the wiki and the engine do not count.
 */
const { values } = parseArgs({
  options: {
    small: { type: 'string', default: '1500' },
    large: { type: 'string', default: '20000' },
    files: { type: 'string', default: '60' },
    embedding: { type: 'boolean', default: false },
    /** More options of Node, to compare. */
    node: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
  },
})
/** The API takes ten files per job. */
const FILES_PER_JOB = 10
const FIXTURES = ['handbook.pdf', 'handbook.docx', 'talk.pptx', 'stock.xlsx', 'notes.md', 'handbook.odt']
const own = values.node.split(' ').filter(Boolean)
const flags = [...LESS_MEMORY, ...own]

const engine = await startSearchEngine({ heapMb: 1024, fullJit: true, log: (line) => console.log(line) })
process.env.MILLRACE_TEST_SEARCH_URL = engine.url
process.env.MILLRACE_TEST_SEARCH_AUTH = `${engine.adminAuth.username}:${engine.adminAuth.password}`
try {
  // Fills the compile cache, as an earlier start does.
  await inWorld(10, async () => {})
  const small = await inWorld(Number(values.small), measureRuns)
  const large = Number(values.large) > 0 ? await inWorld(Number(values.large), measureRuns) : null
  const uploads = Number(values.files) > 0 ? await inWorld(10, measureUploads) : null
  const growth = large && Number((large.first.node_rss / small.first.node_rss).toFixed(2))
  if (growth) console.log(`peak of the Node processes, large to small: ${growth}`)
  const result = { ...{ small, large, uploads }, node_rss_large_to_small: growth }
  if (!values.keep)
    await saveResult('memory.jsonl', { date: new Date().toISOString(), machine: machine(), flags, ...result })
} finally {
  await engine.stop()
}
process.exit()

async function inWorld<T>(pages: number, measure: (world: World, pages: number) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-memory-'))
  // As root, PostgreSQL's own account needs access here.
  await chmod(dataDir, 0o711)
  const world = await openWorld({
    wiki: { seed: 1, pages, spaces: 10, people: 60, groups: 12 },
    embeddedDatabase: true,
    flags,
    env: { MILLRACE_DATA_DIR: join(dataDir, 'data') },
  })
  try {
    return await measure(world, pages)
  } finally {
    await world.millrace.end('SIGTERM')
    await world.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function measureRuns(world: World, pages: number) {
  const pid = world.millrace.process.pid ?? 0
  const idle = memoryOf(pid)
  print('idle', idle)
  const flow = await makeFlow(world, {
    source: { max_num_of_docs_from_each_space: pages },
    nodes: values.embedding ? null : PLAIN_NODES,
    workflow: { permissions_schedule: 'every 1440 minutes' },
  })
  const run = async (name: string) => {
    const before = processorSeconds(pid)
    const began = performance.now()
    const watch = watchMemory(pid)
    const { details } = await finish(world, await startRun(world, flow), 3600)
    const peak = watch.stop()
    const seconds = Math.round((performance.now() - began) / 100) / 10
    const processor = Math.round((processorSeconds(pid) - before) * 10) / 10
    const measured = { ...peak, documents: details.counts.discovered, seconds, processor_seconds: processor }
    print(`${pages} pages, ${name} run`, measured)
    return measured
  }
  const first = await run('first')
  const unchanged = await run('unchanged')
  return { pages, idle, first, unchanged }
}

async function measureUploads(world: World) {
  const watch = watchMemory(world.millrace.process.pid ?? 0)
  const jobs: Promise<string>[] = []
  for (let sent = 0; sent < Number(values.files); sent += FILES_PER_JOB) jobs.push(upload(world, sent))
  const statuses = await Promise.all(
    (await Promise.all(jobs)).map(async (id) => (await finish(world, id, 600)).status),
  )
  const measured = { files: Number(values.files), statuses: [...new Set(statuses)], ...watch.stop() }
  print('uploads', measured)
  return measured
}

async function upload({ api }: World, first: number): Promise<string> {
  const form = new FormData()
  form.append('request_data', JSON.stringify({ job_nodes: PLAIN_NODES }))
  for (let at = first; at < first + FILES_PER_JOB; at++) {
    const path = join(import.meta.dirname, '../test/fixtures/files', FIXTURES[at % FIXTURES.length]!)
    form.append('input_files', new Blob([await readFile(path)]), `${at}-${basename(path)}`)
  }
  const headers = { authorization: `Bearer ${TEST_KEY}` }
  const response = await fetch(`${api.base}/jobs`, { method: 'POST', headers, body: form })
  if (!response.ok) throw new Error(`the upload failed: ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}

function print(name: string, figures: object): void {
  console.log(
    `${name}: ${Object.entries(figures)
      .map(([key, value]) => `${key} ${value}`)
      .join(', ')}`,
  )
}
