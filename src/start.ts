import type { Logger } from 'pino'
import { createMonitoring } from './api/http/monitoring/monitoring.ts'
import { trustRoots } from './connectors/egress/roots.ts'
import type { Registry } from './connectors/registry.ts'
import type { Environment } from './environment.ts'
import type { TaskQueue } from './jobs/queue/engine.ts'
import type { RedactionRegistry } from './log/redaction.ts'
import { openServer, setupUrlOf } from './start/api.ts'
import type { StartContext } from './start/context.ts'
import { answerWhileStarting, explainPortError, serveHealth } from './start/ports.ts'
import { openParts } from './start/resources.ts'
import { openStore } from './start/store.ts'
import { startWorker } from './start/worker.ts'

export type Service = {
  url: string | null
  /** Where a worker serves probes and metrics. */
  healthUrl: string | null
  /** Where the first account is created; null once one exists, and for a worker. */
  setupUrl: string | null
  /** Resolves with the reason when the embedded database dies, or a rotation has replaced the master key. */
  broken: Promise<string>
  stop(): Promise<void>
}

/** Opens all resources in order; `stop` closes them in reverse. */
export async function startService(
  environment: Environment,
  log: Logger,
  { secrets, registry, version }: { secrets: RedactionRegistry; registry: Registry; version: string },
): Promise<Service> {
  const closers: (() => Promise<unknown>)[] = []
  const pools: StartContext['pools'] = {}
  const monitoring = createMonitoring({
    version,
    role: environment.role,
    pools: () => Object.fromEntries(Object.entries(pools).map(([name, use]) => [name, use()])),
    metricsToken: environment.metricsToken,
    // Without a token the metrics are open to everyone who reaches the port.
    names: environment.metricsToken !== null,
  })
  let engine: TaskQueue | null = null
  // Tasks and requests end first, then everything closes in reverse order.
  const stop = async () => {
    monitoring.draining()
    // The API answers until load balancers know, and while tasks finish.
    const noticed = environment.role === 'worker' ? null : monitoring.noticed(environment.drainSeconds * 1000)
    await Promise.all([noticed, engine?.drain()])
    for (const close of closers.splice(0).reverse()) await close()
  }
  const broken = Promise.withResolvers<string>()
  try {
    const addresses = await open(environment, {
      log,
      secrets,
      registry,
      closers,
      pools,
      monitoring,
      onBroken: broken.resolve,
      onEngine: (started) => {
        engine = started
      },
    })
    monitoring.started()
    return { ...addresses, broken: broken.promise, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function open(
  environment: Environment,
  context: StartContext,
): Promise<Pick<Service, 'url' | 'healthUrl' | 'setupUrl'>> {
  const { role, host, port, network } = environment
  trustRoots(network.certificates)
  for (const secret of network.proxy?.secrets ?? []) context.secrets.add(secret)
  const startingServer = role === 'worker' ? null : await answerWhileStarting(environment, context)
  const healthUrl = role === 'worker' ? await serveHealth(environment, context) : null
  const store = await openStore(environment, context)
  const parts = await openParts(environment, store, context)
  if (role !== 'api') await startWorker(environment, parts, context)
  if (role === 'worker') return { url: null, healthUrl, setupUrl: null }

  const server = await openServer(environment, parts, context)
  await startingServer?.close()
  const url = await explainPortError(environment, server.listen({ port, host }))
  return { url, healthUrl, setupUrl: await setupUrlOf(environment, parts, url) }
}
