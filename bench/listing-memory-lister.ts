import { createEgress } from '../src/connectors/egress/guard.ts'
import { wikiSchema } from '../src/connectors/wiki/config.ts'
import { openWiki } from '../src/connectors/wiki/source.ts'
import { accounts } from '../test/world/wiki/accounts.ts'

/** Lists a wiki and prints the memory after a garbage collection, ten times. */
export type ListingTask = { url: string; isCloud: boolean; pages: number }
export type ListedPart = { pages: number; heap_mb: number; buffers_mb: number; rss_mb: number }

const { url, isCloud, pages }: ListingTask = JSON.parse(process.argv[2] ?? '')
const { email, apiToken, pat } = accounts.crawler
const signIn = isCloud ? { username: email, token: apiToken, cloud: true } : { token: pat }
const config = wikiSchema.parse({ url, ...signIn, max_num_of_docs_from_each_space: 10_000_000 })
const log = { debug() {}, info() {}, warn() {}, error() {} }
const source = openWiki(config, { egress: createEgress({ publicOnly: false }), log })
let listed = 0
let parts = 0
for await (const page of source.list(new AbortController().signal)) {
  if (page.kind === 'refs') listed += page.refs.length
  if (page.kind === 'warning') process.stderr.write(`${page.warning.message}\n`)
  if (listed < ((parts + 1) * pages) / 10) continue
  parts++
  printMemory()
}
if (listed !== pages) throw new Error(`${listed} of ${pages} pages were listed`)
process.exit()

function printMemory(): void {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  const mb = (bytes: number) => Math.round(bytes / 1e4) / 100
  const part: ListedPart = {
    ...{ pages: listed, heap_mb: mb(heapUsed), buffers_mb: mb(arrayBuffers), rss_mb: mb(rss) },
  }
  console.log(JSON.stringify(part))
}
