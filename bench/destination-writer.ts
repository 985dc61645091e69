import { Client } from '@elastic/elasticsearch'
import pg from 'pg'
import type { Destination, WriteItem } from '../src/connectors/destination.ts'
import { createEgress } from '../src/connectors/egress/guard.ts'
import { elementKey } from '../src/connectors/kit/stored-element.ts'
import { postgresConfig } from '../src/connectors/postgres/config.ts'
import { openPostgres } from '../src/connectors/postgres/destination.ts'
import { openSearchIndex } from '../src/connectors/searchindex/destination.ts'
import { copyRows } from './destination-copy.ts'
import { DIMS, sampleItems } from './destination-items.ts'

export type Writer = 'index' | 'bulk' | 'postgres' | 'copy'

/** One process of the destination benchmark. `target` is an index, or the address of a database. */
const { writer, elements, target, url } = JSON.parse(process.argv[2] ?? '') as {
  writer: Writer
  elements: number
  target: string
  url: string
}
const key = process.env.BENCH_KEY ?? ''
/** 50 documents of 11 elements; three slices run at a time. */
const SLICE = 550
const CONCURRENT_SLICES = 3
const { signal } = new AbortController()

const egress = createEgress({ publicOnly: false })
const log = { debug() {}, info() {}, warn() {}, error() {} }
const destination = openDestination()
await destination.prepare({ dims: DIMS }, signal)

const began = performance.now()
await {
  index: writeWithDestination,
  postgres: writeWithDestination,
  bulk: writeWithHelper,
  copy: writeWithCopy,
}[writer]()
const seconds = (performance.now() - began) / 1000
const peak_mb = Math.round(process.resourceUsage().maxRSS / 1024)
console.log(JSON.stringify({ elements_per_second: Math.round(elements / seconds), peak_mb }))
await destination.close()
await egress.close()

function openDestination(): Destination {
  if (writer === 'index' || writer === 'bulk')
    return openSearchIndex({ hosts: [url], search_api_key: key, index_name: target }, { egress, log })
  const { hostname: host, port, username, password, pathname } = new URL(target)
  const database = pathname.slice(1)
  const config = { host, port, database, username, password, ssl_mode: 'disable' }
  return openPostgres(postgresConfig.parse(config), { egress, log })
}

async function writeWithDestination(): Promise<void> {
  const items = sampleItems(elements)
  const worker = async () => {
    while (true) {
      const slice = next(items)
      if (slice.length === 0) return
      const rejected = await destination.write(slice, 1, signal)
      if (rejected.length > 0) throw new Error(rejected[0]?.error.message)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_SLICES }, worker))
}

/** A loop, because `take` would close the iterator. */
function next(items: Iterator<WriteItem>): WriteItem[] {
  const slice: WriteItem[] = []
  while (slice.length < SLICE) {
    const { done, value } = items.next()
    if (done) break
    slice.push(value)
  }
  return slice
}

async function writeWithHelper(): Promise<void> {
  const client = new Client({ node: url, auth: { apiKey: key }, compression: true })
  const documents = sampleItems(elements).map(({ recordId, element, dataSource }) => {
    const { element_id, type, text, embeddings, metadata } = element
    const document = { record_id: recordId, element_id, type, text, embeddings }
    return { ...document, metadata: { ...metadata, data_source: dataSource } }
  })
  const { failed } = await client.helpers.bulk({
    datasource: documents.toArray(),
    onDocument: ({ record_id, element_id }) => ({
      index: { _index: target, _id: elementKey(record_id, element_id) },
    }),
  })
  if (failed > 0) throw new Error(`${failed} were refused`)
}

/** One COPY of all rows into the same table, with the same columns and indexes. */
async function writeWithCopy(): Promise<void> {
  const client = new pg.Client(target)
  await client.connect()
  const columns = 'id, record_id, element_id, type, text, metadata, data_source, embeddings, fence'
  const rows = sampleItems(elements).map(({ recordId, element, dataSource }) => [
    ...[elementKey(recordId, element.element_id), recordId, element.element_id, element.type, element.text],
    ...[JSON.stringify(element.metadata), JSON.stringify(dataSource), `[${element.embeddings}]`, '1'],
  ])
  await copyRows(client, `copy elements (${columns}) from stdin`, rows)
  await client.end()
}
