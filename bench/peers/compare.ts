import { createIndex } from '../../test/world/index-destination.ts'
import type { SearchEngine } from '../../test/world/search-engine/attach.ts'
import { startSearchEngine } from '../../test/world/search-engine/engine.ts'
import { startWiki, type Wiki } from '../../test/world/wiki/start.ts'
import { machine, saveResult } from '../results.ts'
import { elementsOf, pageIdOf } from './elements.ts'
import { versionOf } from './environments.ts'
import { isIsolated } from './isolation.ts'
import { millraceIngest, millraceService } from './millrace-tool.ts'
import { writePage } from './page.ts'
import { peerTool } from './peer-tool.ts'
import { checkSevenPages, type SevenPageResult } from './seven-pages.ts'
import { type Measures, type Summary, summarize } from './summary.ts'
import type { Tool } from './tool.ts'

export type Comparison = {
  date: string
  machine: object
  isolated: boolean
  pages: number
  rounds: number
  latencies: number[]
  versions: Record<string, string>
  /** By tool, then by latency. */
  measures: Record<string, Record<string, Summary>>
  seven_pages: Record<string, SevenPageResult[]>
}

type Options = {
  pages: number
  rounds: number
  latencies: number[]
  only: string[] | undefined
  save: boolean
}

/** Alternates between the tools, so that a slow minute of the machine hits all of them. */
export async function comparePeers({ pages, rounds, latencies, only, save }: Options): Promise<void> {
  const tools = (await allTools()).filter(({ name }) => only?.includes(name) ?? true)
  const engine = await startSearchEngine({ heapMb: 1024, fullJit: true, log: (line) => console.log(line) })
  const wiki = await startWiki({
    seed: 1,
    pages,
    spaces: 10,
    people: 60,
    groups: 12,
    // The other tools send requests that no document declares.
    settings: { undeclared: 'served' },
  })
  const runs: { tool: string; latency: number; measures: Measures }[] = []
  const sevenPages: Comparison['seven_pages'] = {}
  try {
    for (const tool of tools) {
      sevenPages[tool.name] = await checkSevenPages(tool, engine, () => newIndex(engine))
      console.log(`${tool.name}: ${sevenPages[tool.name]?.map(({ verdict }) => verdict).join('; ')}`)
    }
    for (const latency of latencies) {
      await wiki.control.set({ latencyMs: latency })
      for (let round = 0; round < rounds; round++) {
        for (const tool of rotated(tools, round)) {
          const measures = await measure(tool, { wiki, engine })
          console.log(`${latency} ms, round ${round + 1}, ${tool.name}: ${JSON.stringify(measures)}`)
          runs.push({ tool: tool.name, latency, measures })
        }
      }
    }
  } finally {
    await wiki.stop()
    await engine.stop()
  }
  const measures = Object.fromEntries(
    tools.map(({ name }) => [
      name,
      Object.fromEntries(
        latencies.map((latency) => {
          const own = runs.filter((run) => run.tool === name && run.latency === latency)
          return [String(latency), summarize(own.map((run) => run.measures))]
        }),
      ),
    ]),
  )
  const result: Comparison = {
    ...{
      date: new Date().toISOString(),
      machine: machine(),
      isolated: isIsolated(),
      pages,
      rounds,
      latencies,
    },
    ...{ versions: await versions(), measures, seven_pages: sevenPages },
  }
  if (!save) return console.log(JSON.stringify(result, null, 2))
  await saveResult('peers.jsonl', result)
  await writePage(result)
}

async function allTools(): Promise<Tool[]> {
  return [
    millraceService,
    millraceIngest,
    await peerTool('unstructured-ingest', 'unstructured_peer.py'),
    await peerTool('langchain', 'langchain_peer.py'),
    await peerTool('llama-index', 'llama_index_peer.py'),
  ]
}

async function versions(): Promise<Record<string, string>> {
  return {
    'unstructured-ingest': await versionOf('unstructured-ingest', 'unstructured_ingest'),
    unstructured: await versionOf('unstructured-ingest', 'unstructured'),
    'atlassian-python-api': await versionOf('unstructured-ingest', 'atlassian-python-api'),
    'langchain-community': await versionOf('langchain', 'langchain-community'),
    'llama-index-readers-confluence': await versionOf('llama-index', 'llama-index-readers-confluence'),
  }
}

const rotated = <T>(list: T[], by: number): T[] => list.map((_, at) => list[(at + by) % list.length] as T)

let made = 0
async function newIndex(engine: SearchEngine): Promise<string> {
  const index = `peers-${made++}`
  await createIndex(engine, index)
  return index
}

async function measure(
  tool: Tool,
  { wiki, engine }: { wiki: Wiki; engine: SearchEngine },
): Promise<Measures> {
  const index = await newIndex(engine)
  await wiki.control.resetCounts()
  const { seconds, cpuSeconds, peakMb } = await tool.run({ wiki, engine, index })
  const { requests } = await wiki.control.counts()
  const elements = await elementsOf(engine, index, ['record_id'])
  await engine.adminFetch(`/${index}`, { method: 'DELETE' })
  const pages = new Set(elements.map(pageIdOf)).size
  return {
    pages_per_second: pages / seconds,
    pages_per_cpu_second: pages / cpuSeconds,
    requests_per_page: requests / pages,
    peak_mb: peakMb,
    pages,
    elements: elements.length,
  }
}
