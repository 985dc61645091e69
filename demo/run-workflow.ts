import { setTimeout as sleep } from 'node:timers/promises'
import { samplePages } from '../src/sample/content/sample.ts'
import { paragraph } from './lines.ts'
import { progressLine } from './progress.ts'
import type { DemoServices } from './services.ts'

type Details = {
  processing_status: string
  message: string | null
  counts: Record<'discovered' | 'new' | 'changed' | 'unchanged' | 'skipped' | 'failed', number>
  summary: { total_docs: number }
}

/** Creates the connectors and a workflow through the public API, runs it, and prints the result. */
export async function runWorkflow(
  services: DemoServices,
  signal: AbortSignal,
): Promise<{ destinationId: string; arrived: boolean }> {
  // The service contains the sample wiki, as it does for users of the page.
  const source = await make(services, '/samples', undefined)
  await check(services, `/sources/${source}`, 'the sample wiki answers, and its permissions are readable')
  const { encoded } = await services.engine.createApiKey(services.index)
  const destinationId = await make(services, '/destinations', {
    name: 'Search',
    type: 'searchindex',
    config: { hosts: [services.engine.url], index_name: services.index, search_api_key: encoded },
  })
  await check(services, `/destinations/${destinationId}`, 'the index exists, and the key may use it')
  const workflow = await make(services, '/workflows', {
    name: 'Wiki to search',
    workflow_type: 'custom',
    source_id: source,
    destination_id: destinationId,
  })

  const began = performance.now()
  const job = await make(services, `/workflows/${workflow}/run`, undefined)
  console.log()
  const details = await watch(services, job, signal)
  return {
    destinationId,
    arrived: await tell(services, { job, details, seconds: (performance.now() - began) / 1000 }),
  }
}

async function make({ api }: DemoServices, path: string, body: unknown): Promise<string> {
  const answer = await api.post<{ id: string }>(path, body)
  if (answer.status !== 200 && answer.status !== 202)
    throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`)
  return answer.body.id
}

async function check({ api }: DemoServices, path: string, good: string): Promise<void> {
  await api.post(`${path}/connection-check`)
  while (true) {
    const { body } = await api.get<{ status: string; reason: string | null }>(`${path}/connection-check`)
    if (body.status === 'FAILURE') throw new Error(`checking ${path}: ${body.reason}`)
    if (body.status === 'SUCCESS') break
    await sleep(100)
  }
  console.log(`  ✓ ${good}`)
}

async function watch({ api }: DemoServices, job: string, signal: AbortSignal): Promise<Details> {
  const line = progressLine()
  try {
    while (true) {
      const { status } = (await api.get<{ status: string }>(`/jobs/${job}`)).body
      const details = (await api.get<Details>(`/jobs/${job}/details`)).body
      line.show(details.counts.discovered, details.summary.total_docs)
      if (status !== 'SCHEDULED' && status !== 'IN_PROGRESS') return details
      await sleep(200, undefined, { signal })
    }
  } finally {
    line.end()
  }
}

async function tell(
  services: DemoServices,
  { job, details, seconds }: { job: string; details: Details; seconds: number },
): Promise<boolean> {
  const { counts } = details
  const expected = samplePages.filter(({ archived }) => !archived)
  const inIndex = await count(services)
  const number = (value: number) => value.toLocaleString('en')
  const parts = [
    `${counts.new} new + ${counts.changed} changed + ${counts.unchanged} unchanged`,
    `${counts.skipped} skipped + ${counts.failed} failed`,
  ]
  console.log(`
${paragraph(`${number(counts.discovered)} pages found = ${parts.join(' + ')}`)}
${paragraph(`${number(inIndex.elements)} elements of ${number(inIndex.documents)} pages are in the index, with their permissions`)}
${paragraph(`${seconds.toFixed(1)} s, ${(counts.discovered / seconds).toFixed(0)} pages/s with embedding on this machine`)}
`)
  for (const failed of (
    await services.api.get<{ failed_files: { document: string; error: string }[] }>(
      `/jobs/${job}/failed-files`,
    )
  ).body.failed_files) {
    console.log(paragraph(`✗ ${failed.document}: ${failed.error}`))
  }
  if (details.message) console.log(`${paragraph(details.message)}\n`)
  const arrived =
    details.processing_status === 'SUCCESS' &&
    counts.new === expected.length &&
    inIndex.documents === expected.length
  if (!arrived) console.log(`  ✗ ${expected.length} pages should have arrived\n`)
  return arrived
}

async function count({ engine, index }: DemoServices): Promise<{ elements: number; documents: number }> {
  await engine.adminFetch(`/${index}/_refresh`, { method: 'POST' })
  const body = {
    size: 0,
    track_total_hits: true,
    aggs: { documents: { cardinality: { field: 'record_id.keyword', precision_threshold: 40_000 } } },
  }
  const response = await engine.adminFetch(`/${index}/_search`, { body })
  const answer = (await response.json()) as {
    hits: { total: { value: number } }
    aggregations: { documents: { value: number } }
  }
  return { elements: answer.hits.total.value, documents: answer.aggregations.documents.value }
}
