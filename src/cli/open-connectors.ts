import type { Destination } from '../connectors/destination.ts'
import { createEgress } from '../connectors/egress/guard.ts'
import { trustRoots } from '../connectors/egress/roots.ts'
import { trustedFetch } from '../connectors/egress/trusted-fetch.ts'
import type { Source } from '../connectors/source.ts'
import type { DecisionStore } from '../connectors/type.ts'
import { closeOnFailure } from '../connectors/with-open.ts'
import { originsOf } from '../pipeline/models/endpoints.ts'
import { createRunnerFactory, type RunnerFactory } from '../pipeline/runner-factory.ts'
import type { Job } from './job-file/job.ts'

/** The open source and destination of a job. */
export type Opened = { source: Source; destination: Destination; close(): Promise<void> }

/** Each connector has its own egress and certificates. The user owns the machine, so every host is allowed. */
export async function openSource(
  { source, network }: Job,
  kept: { decisions?: DecisionStore } = {},
): Promise<{ source: Source; close(): Promise<void> }> {
  trustRoots(network.certificates)
  const egress = createEgress({ publicOnly: false, proxy: network.proxy })
  // The schema has validated the config, which the registry types as `never`.
  const opened = await source.type.open(source.config as never, { egress, log: silent, ...kept })
  return { source: opened, close: () => closeAll([opened.close(), egress.close()]) }
}

export async function openBoth(job: Job, kept: { decisions?: DecisionStore } = {}): Promise<Opened> {
  const { type, config } = job.destination
  // Reads the certificate first, because that fails most often.
  const tls = await type.trust?.(config as never)
  return closeOnFailure(await openSource(job, kept), async ({ source, close }) => {
    const egress = createEgress({ publicOnly: false, proxy: job.network.proxy, ...(tls ? { tls } : {}) })
    const destination = await type.open(config as never, { egress, log: silent })
    return { source, destination, close: () => closeAll([close(), destination.close(), egress.close()]) }
  })
}

/** Reaches only the model endpoints. */
export function openRunnerFactory({ endpoints, network }: Job): RunnerFactory {
  const egress = trustedFetch(originsOf(endpoints), { proxy: network.proxy })
  const runners = createRunnerFactory({ models: { endpoints, fetch: egress.fetch } })
  return { ...runners, close: () => closeAll([runners.close(), egress.close()]) }
}

async function closeAll(closing: Promise<unknown>[]): Promise<void> {
  await Promise.all(closing)
}

/** Results and warnings already contain what a connector would log. */
const silent = { debug() {}, info() {}, warn() {}, error() {} }
