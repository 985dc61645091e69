import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startWiki } from '../test/world/wiki/start.ts'
import type { ListedPart, ListingTask } from './listing-memory-lister.ts'
import { machine, saveResult } from './results.ts'

/** `node bench/listing-memory.ts`: memory and requests of listing one space, by its size. */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '50000,200000,1000000' },
    deployments: { type: 'string', default: 'cloud,data_center' },
    /** Of the listing process, in MB. */
    heap: { type: 'string', default: '128' },
  },
})
const lister = fileURLToPath(new URL('listing-memory-lister.ts', import.meta.url))

const results = []
for (const deployment of values.deployments.split(','))
  for (const pages of values.pages.split(',')) results.push(await measure(deployment, Number(pages)))
await saveResult('listing-memory.jsonl', {
  ...{ date: new Date().toISOString(), machine: machine(), heap_limit_mb: Number(values.heap), results },
})

async function measure(deployment: string, pages: number) {
  const wiki = await startWiki({ large: pages })
  try {
    const url = deployment === 'cloud' ? wiki.siteUrl : wiki.dataCenterUrl
    const task: ListingTask = { url, isCloud: deployment === 'cloud', pages }
    const began = performance.now()
    const parts = await list(task)
    const seconds = Math.round((performance.now() - began) / 100) / 10
    const counts = await wiki.control.counts()
    const { byEndpoint } = counts.sites[deployment === 'cloud' ? 'cloud' : 'dataCenter']
    const checks = Object.entries(byEndpoint).filter(([endpoint]) => endpoint.endsWith('permission/check'))
    const permissionChecks = checks.reduce((sum, [, count]) => sum + count, 0)
    const perPage = bytesPerPage(parts)
    const result = {
      deployment,
      pages,
      seconds,
      requests: counts.requests,
      permissionChecks,
      ...perPage,
      parts,
    }
    console.log(JSON.stringify(result))
    return result
  } finally {
    await wiki.stop()
  }
}

async function list(task: ListingTask): Promise<ListedPart[]> {
  const flags = [`--max-old-space-size=${values.heap}`, '--expose-gc']
  const child = spawn(process.execPath, [...flags, lister, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const parts: ListedPart[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    console.log(line)
    parts.push(JSON.parse(line))
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the listing ended with ${code}`)
  return parts
}

/** The growth from the first tenth to the ninth; after the last page the listing ends. */
function bytesPerPage(parts: ListedPart[]) {
  const [first, last] = [parts[0], parts.at(-2)]
  if (!first || !last) return {}
  const growth = (before: number, after: number) =>
    Math.round(((after - before) * 1e6) / Math.max(1, last.pages - first.pages))
  return {
    heap_bytes_per_page: growth(first.heap_mb, last.heap_mb),
    buffer_bytes_per_page: growth(first.buffers_mb, last.buffers_mb),
  }
}
