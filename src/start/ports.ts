import { type HealthServer, startHealthServer } from '../api/http/monitoring/health-server.ts'
import { checkPort, portProblem } from '../api/http/port-check.ts'
import { type Environment, EnvironmentError } from '../environment.ts'
import type { StartContext } from './context.ts'

export const HEALTH_PORT = 8081

/** A second worker on a machine works without a port, unless one was asked for. */
export async function serveHealth(
  { host, healthPort }: Environment,
  { monitoring, closers, log }: StartContext,
): Promise<string | null> {
  const address = { host, port: healthPort ?? HEALTH_PORT, variable: 'MILLRACE_HEALTH_PORT' }
  try {
    const server = await explainPortError(address, startHealthServer(monitoring, address))
    closers.push(() => server.close())
    return server.url
  } catch (error) {
    if (healthPort !== null || !(error instanceof EnvironmentError)) throw error
    log.warn({}, `no probes and no metrics: ${error.message}`)
    return null
  }
}

/** Probes get an answer during migrations. Port 0 is another one every time, so it is only checked. */
export async function answerWhileStarting(
  environment: Environment,
  { monitoring, closers }: StartContext,
): Promise<HealthServer | null> {
  const { host, port } = environment
  if (port === 0) {
    await explainPortError(environment, checkPort(environment))
    return null
  }
  const server = await explainPortError(
    environment,
    startHealthServer(monitoring, { host, port, fallback: 503 }),
  )
  closers.push(() => server.close())
  return server
}

type PortAddress = Parameters<typeof portProblem>[1]

export async function explainPortError<T>(address: PortAddress, attempt: Promise<T>): Promise<T> {
  return attempt.catch((error) => {
    const problem = portProblem(error, address)
    throw problem ? new EnvironmentError(problem) : error
  })
}
