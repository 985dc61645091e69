import type { Destination, Source } from '../connectors/connector.ts'
import { createEgress } from '../connectors/egress/guard.ts'
import { trustedFetch } from '../connectors/egress/trusted-fetch.ts'
import { originsOf } from '../pipeline/models/endpoints.ts'
import { createRunnerFactory, type RunnerFactory } from '../pipeline/runner-factory.ts'
import type { Job } from './job-file/job.ts'

/** Both ends of a job, open. */
export type Opened = { source: Source; destination: Destination; close(): Promise<void> }

/**
 * Each end has a way out of its own: what is trusted for a cluster, such as its own certificate authority, is not
 * trusted for the wiki. The guard for public addresses is a server's; here the person owns the machine.
 */
export async function openSource({ source }: Job): Promise<{ source: Source; close(): Promise<void> }> {
  const egress = createEgress({ publicOnly: false })
  // The schema has checked it; the registry's types know no more than `never`.
  const opened = await source.type.open(source.config as never, { egress, log: silent })
  return { source: opened, close: () => closeAll([opened.close(), egress.close()]) }
}

export async function openBoth(job: Job): Promise<Opened> {
  const { type, config } = job.destination
  // First, since a certificate that cannot be read is the one thing that goes wrong here.
  const tls = await type.trust?.(config as never)
  const from = await openSource(job)
  const egress = createEgress({ publicOnly: false, ...(tls ? { tls } : {}) })
  const destination = await type.open(config as never, { egress, log: silent })
  return {
    source: from.source,
    destination,
    close: () => closeAll([from.close(), destination.close(), egress.close()]),
  }
}

/** With a way to the endpoints of models, and to nothing else. */
export function openRunnerFactory({ endpoints }: Job): RunnerFactory {
  const way = trustedFetch(originsOf(endpoints))
  const workshop = createRunnerFactory({ models: { endpoints, fetch: way.fetch } })
  return { ...workshop, close: () => closeAll([workshop.close(), way.close()]) }
}

async function closeAll(closing: Promise<unknown>[]): Promise<void> {
  await Promise.all(closing)
}

/** What a connector would log is told by its outcomes. */
const silent = { debug() {}, info() {}, warn() {}, error() {} }
