import { parseArgs } from 'node:util'
import { contents } from '../test/world/agreement.ts'
import { makeFlow, run } from '../test/world/flow.ts'
import { startSearchEngine } from '../test/world/search-engine/engine.ts'
import { openWorld } from '../test/world/world.ts'
import { type StoredElement, VARIANTS, type Variant, WRITTEN } from './element-variants.ts'
import { processorMs } from './process-tree.ts'
import { machine, saveResult } from './results.ts'

/**
 * `npm run bench:elements`: what each part of an element and each mapping costs the engine. Takes the elements of a
 * run, sends them to a real Elasticsearch by three bulk requests at a time, and compares the variants of each round.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '450' },
    rounds: { type: 'string', default: '15' },
    /** Off, because the number of refreshes would depend on other work on the machine. */
    refresh: { type: 'string', default: '-1' },
  },
})
const CONCURRENCY = 3
/** Java compiles its code meanwhile. */
const WARM_UP_ROUNDS = 3
/** Has no common factor with the number of variants. */
const STEP = 7
/** A part of the bodies that the destination sends, so that three requests overlap with few elements. */
const REQUEST_BYTES = 1_000_000

type Cost = { perSecond: number; engineUs: number; sent: number; stored: number }

const engine = await startSearchEngine({ heapMb: 1024, fullJit: true, log: (line) => console.log(line) })
process.env.MILLRACE_TEST_SEARCH_URL = engine.url
process.env.MILLRACE_TEST_SEARCH_AUTH = `${engine.adminAuth.username}:${engine.adminAuth.password}`
try {
  const elements = await writtenElements(Number(values.pages))
  const costs = new Map<string, Cost[]>(VARIANTS.map(({ name }) => [name, []]))
  const rounds = WARM_UP_ROUNDS + Number(values.rounds)
  for (let round = 0; round < rounds; round++) {
    for (const variant of inTurns(round)) {
      const cost = await measure(variant, elements)
      if (round >= WARM_UP_ROUNDS) costs.get(variant.name)?.push(cost)
    }
    console.log(`round ${round + 1} of ${rounds}`)
  }
  const rows = [...costs].map(([name, own]) => summary(name, own, costs.get(WRITTEN) ?? []))
  print(rows)
  await saveResult('elements.jsonl', {
    ...{ date: new Date().toISOString(), machine: machine(), elements: elements.length },
    ...{ rounds: Number(values.rounds), refresh: values.refresh, variants: rows },
  })
} finally {
  await engine.stop()
}
process.exit()

/** Each round begins with another variant, because the engine still gets faster. */
function inTurns(round: number): Variant[] {
  const first = (round * STEP) % VARIANTS.length
  return [...VARIANTS.slice(first), ...VARIANTS.slice(0, first)]
}

async function writtenElements(pages: number): Promise<StoredElement[]> {
  const world = await openWorld({ wiki: { seed: 1, pages, spaces: 10, people: 60, groups: 12 } })
  try {
    await run(world, await makeFlow(world))
    return await contents(world)
  } finally {
    await world.close()
  }
}

async function measure(variant: Variant, elements: StoredElement[]): Promise<Cost> {
  const index = `bench-${Date.now()}`
  const settings = { number_of_replicas: 0, refresh_interval: values.refresh, ...variant.settings }
  await call(`/${index}`, { method: 'PUT', body: { settings, mappings: variant.mapping } })
  const bodies = requests(variant, elements)
  const began = performance.now()
  const before = processorMs(engine.pid)
  const waiting = bodies.values()
  const send = async () => {
    for (const ndjson of waiting) {
      const { errors } = await call<{ errors: boolean }>(`/${index}/_bulk?filter_path=errors`, { ndjson })
      if (errors) throw new Error(`${variant.name}: elements were refused`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, send))
  const seconds = (performance.now() - began) / 1000
  // Builds the segments, which belong to the cost.
  await call(`/${index}/_refresh`, { method: 'POST' })
  const engineMs = processorMs(engine.pid) - before
  await call(`/${index}/_flush`, { method: 'POST' })
  const { _all: all } = await call<Stats>(`/${index}/_stats/store`)
  await call(`/${index}`, { method: 'DELETE' })
  return {
    perSecond: elements.length / seconds,
    engineUs: (engineMs * 1000) / elements.length,
    sent: bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / elements.length,
    stored: all.primaries.store.size_in_bytes / elements.length,
  }
}

type Stats = { _all: { primaries: { store: { size_in_bytes: number } } } }

async function call<T>(path: string, init?: { method?: string; body?: object; ndjson?: string }): Promise<T> {
  const response = await engine.adminFetch(path, init)
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as T
}

function requests({ action, document }: Variant, elements: StoredElement[]): string[] {
  const bodies: string[] = []
  let body = ''
  for (const { _id, _source } of elements) {
    body += `${JSON.stringify(action(_id))}\n${JSON.stringify(document(_source))}\n`
    if (body.length < REQUEST_BYTES) continue
    bodies.push(body)
    body = ''
  }
  return body ? [...bodies, body] : bodies
}

type Row = Record<'sent' | 'stored' | 'engine_us' | 'ratio' | 'lowest' | 'highest' | 'speed', number> & {
  name: string
}

/** Ratios are of each round, because other work slows all variants of a round down. */
function summary(name: string, own: Cost[], asWritten: Cost[]): Row {
  const ratios = own.map(({ engineUs }, at) => engineUs / (asWritten[at]?.engineUs ?? 0))
  const speeds = own.map(({ perSecond }, at) => perSecond / (asWritten[at]?.perSecond ?? 0))
  return {
    name,
    sent: Math.round(own[0]?.sent ?? 0),
    stored: Math.round(median(own.map(({ stored }) => stored))),
    engine_us: Math.round(median(own.map(({ engineUs }) => engineUs))),
    ratio: rounded(median(ratios)),
    lowest: rounded(Math.min(...ratios)),
    highest: rounded(Math.max(...ratios)),
    speed: rounded(median(speeds)),
  }
}

function print(rows: Row[]): void {
  console.log(
    '| variant | bytes sent | bytes stored | engine µs | ratio (lowest–highest) | elements/s, ratio |',
  )
  console.log('|---|---|---|---|---|---|')
  for (const row of rows) {
    const ratio = `${row.ratio} (${row.lowest}–${row.highest})`
    console.log(`| ${[row.name, row.sent, row.stored, row.engine_us, ratio, row.speed].join(' | ')} |`)
  }
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

function rounded(value: number): number {
  return Number(value.toFixed(2))
}
