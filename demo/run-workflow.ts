import type { Millrace } from '../packages/millrace-client/src/client.ts'
import type { JobDetails } from '../packages/millrace-client/src/schema.ts'
import { samplePages } from '../test/world/sample/pages.ts'
import { cloud } from '../test/world/wiki-source.ts'
import { paragraph } from './lines.ts'
import { progressLine } from './progress.ts'
import type { DemoServices } from './services.ts'

/** Creates and runs a workflow through the public API and prints the result. */
export async function runWorkflow(
  services: DemoServices,
  signal: AbortSignal,
): Promise<{ destinationId: string; arrived: boolean }> {
  const { client, wiki, destination: target } = services
  const config = { ...cloud.signIn(wiki, 'crawler') }
  const source = await client.sources.create({ name: 'Sample wiki', type: 'wiki', config })
  await check(client.sources, source.id, 'the sample wiki answers, and its permissions are readable')
  const destination = await target.create(client, signal)
  await check(client.destinations, destination.id, target.proof)
  const workflow = await client.workflows.create({
    name: 'Wiki to search',
    workflow_type: 'custom',
    source_id: source.id,
    destination_id: destination.id,
  })

  const began = performance.now()
  const job = await client.workflows.run(workflow.id)
  console.log()
  await watch(client, job.id, signal)
  const details = await client.jobs.details(job.id)
  return {
    destinationId: destination.id,
    arrived: await printResult(services, {
      ...{ job: job.id, details, destinationId: destination.id },
      seconds: (performance.now() - began) / 1000,
    }),
  }
}

type Checked = Pick<Millrace['sources'], 'check'>

async function check(connectors: Checked, id: string, good: string): Promise<void> {
  const { status, reason } = await connectors.check(id, { pollMs: 100 })
  if (status === 'FAILURE') throw new Error(`checking the connector ${id}: ${reason}`)
  console.log(`  ✓ ${good}`)
}

async function watch(client: Millrace, job: string, signal: AbortSignal): Promise<void> {
  const line = progressLine()
  try {
    await client.waitForJob(job, {
      signal,
      onProgress: ({ counts, found }) => line.show(counts.discovered, found),
    })
  } finally {
    line.end()
  }
}

type JobResult = { job: string; details: JobDetails; destinationId: string; seconds: number }

async function printResult(
  services: DemoServices,
  { job, details, destinationId, seconds }: JobResult,
): Promise<boolean> {
  const { counts } = details
  const expected = samplePages.filter(({ archived }) => !archived)
  const { client, destination } = services
  const held = await destination.count(client, destinationId)
  const number = (value: number) => value.toLocaleString('en')
  const parts = [
    `${counts.new} new + ${counts.changed} changed + ${counts.unchanged} unchanged`,
    `${counts.skipped} skipped + ${counts.failed} failed`,
  ]
  console.log(`
${paragraph(`${number(counts.discovered)} pages found = ${parts.join(' + ')}`)}
${paragraph(`${number(held.elements)} elements of ${number(held.documents)} pages are in the ${destination.noun}, with their permissions`)}
${paragraph(`${seconds.toFixed(1)} s, ${(counts.discovered / seconds).toFixed(0)} pages/s with embedding on this machine`)}
`)
  const { failed_files: failures } = await client.jobs.failedFiles(job)
  for (const { document, error } of failures) console.log(paragraph(`✗ ${document}: ${error}`))
  if (details.message) console.log(`${paragraph(details.message)}\n`)
  const arrived =
    details.processing_status === 'SUCCESS' &&
    counts.new === expected.length &&
    held.documents === expected.length
  if (!arrived) console.log(`  ✗ ${expected.length} pages should have arrived\n`)
  return arrived
}
