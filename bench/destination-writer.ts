import { Client } from '@elastic/elasticsearch'
import type { WriteItem } from '../src/connectors/connector.ts'
import { createEgress } from '../src/connectors/egress/guard.ts'
import { openSearchIndex } from '../src/connectors/searchindex/destination.ts'
import { searchId } from '../src/connectors/searchindex/write/documents.ts'
import { toNumbers } from '../src/pipeline/embed/numbers.ts'

/**
 * One process of the destination benchmark: writes elements with our destination or the vendor's helper and reports
 * the rate.
 */
const { writer, elements, index, url } = JSON.parse(process.argv[2] ?? '') as {
  writer: 'ours' | 'bare'
  elements: number
  index: string
  url: string
}
const key = process.env.BENCH_KEY ?? ''
const DIMS = 384
/** A slice is about 50 documents of 11 elements; three slices run at a time. */
const SLICE = 550
const SLICES_AT_ONCE = 3
const { signal } = new AbortController()

const egress = createEgress({ publicOnly: false })
const log = { debug() {}, info() {}, warn() {}, error() {} }
const destination = openSearchIndex({ hosts: [url], search_api_key: key, index_name: index }, { egress, log })
await destination.prepare({ dims: DIMS }, signal)

const began = performance.now()
await (writer === 'ours' ? byDestination() : byHelper())
const seconds = (performance.now() - began) / 1000
const peak_mb = Math.round(process.resourceUsage().maxRSS / 1024)
console.log(JSON.stringify({ elements_per_second: Math.round(elements / seconds), peak_mb }))
await egress.close()

async function byDestination(): Promise<void> {
  const waiting = made()
  const worker = async () => {
    while (true) {
      const slice = next(waiting)
      if (slice.length === 0) return
      const refused = await destination.write(slice, 1, signal)
      if (refused.length > 0) throw new Error(refused[0]?.error.message)
    }
  }
  await Promise.all(Array.from({ length: SLICES_AT_ONCE }, worker))
}

/** A loop, because `take` would close the iterator. */
function next(waiting: Iterator<WriteItem>): WriteItem[] {
  const slice: WriteItem[] = []
  while (slice.length < SLICE) {
    const { done, value } = waiting.next()
    if (done) break
    slice.push(value)
  }
  return slice
}

async function byHelper(): Promise<void> {
  const client = new Client({ node: url, auth: { apiKey: key }, compression: true })
  const documents = made().map(({ recordId, element, dataSource }) => {
    const { element_id, type, text, embeddings, metadata } = element
    const document = { record_id: recordId, element_id, type, text, embeddings }
    return { ...document, metadata: { ...metadata, data_source: dataSource } }
  })
  const { failed } = await client.helpers.bulk({
    datasource: documents.toArray(),
    onDocument: ({ record_id, element_id }) => ({
      index: { _index: index, _id: searchId(record_id, element_id) },
    }),
  })
  if (failed > 0) throw new Error(`${failed} were refused`)
}

/** The size of a wiki chunk: 700 characters, a vector and the permissions of a page. */
function* made(): Generator<WriteItem> {
  const vector = new Float32Array(DIMS)
  for (let at = 0; at < elements; at++) {
    const page = Math.floor(at / 11)
    for (let each = 0; each < DIMS; each++) vector[each] = Math.sin(at * 31 + each)
    yield {
      recordId: `wiki.example/${page}`,
      element: {
        type: 'CompositeElement',
        element_id: `e${at}`,
        text: `${at} The weir keeps the water level and the race carries it to the wheel. `.repeat(10),
        metadata: { filename: `${page}.html`, filetype: 'text/html', languages: ['eng'] },
        embeddings: toNumbers(vector),
      },
      dataSource: {
        url: `https://wiki.example/pages/${page}`,
        version: '3',
        title: `Page ${page}`,
        record_locator: { space_key: 'MILL', page_id: String(page) },
        permissions_data: [{ read: { users: [], groups: ['g1', 'g2'] } }],
        access: { c0: ['group:g1', 'group:g2'] },
      },
    }
  }
}
