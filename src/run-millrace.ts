import { mkdir } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import project from '../package.json' with { type: 'json' }
import type { Registry } from './connectors/registry.ts'
import { EnvironmentError, readEnvironment } from './environment.ts'
import { AppError } from './errors.ts'
import { createLogger } from './log/log.ts'
import { createRedactionRegistry } from './log/redaction.ts'
import { startService } from './start.ts'

/** Runs the process: environment, resources, servers, graceful shutdown. */
export async function runMillrace(registry: Registry): Promise<void> {
  try {
    await run(registry)
  } catch (error) {
    console.error(`millrace: ${errorText(error)}`)
    process.exit(error instanceof EnvironmentError ? 2 : 1)
  }
}

async function run(registry: Registry): Promise<void> {
  const environment = readEnvironment()
  // In a container it is a folder of a volume, which starts empty.
  await mkdir(tmpdir(), { recursive: true })
  const secrets = createRedactionRegistry()
  // Drivers quote parts of the URL, so its password is hidden separately.
  const { databaseUrl, setupApiKey, setup, metricsToken } = environment
  const password = databaseUrl ? decodeURIComponent(new URL(databaseUrl).password) : null
  for (const secret of [setupApiKey, setup?.password, databaseUrl, password, metricsToken])
    if (secret) secrets.add(secret)
  const { version } = project
  const log = createLogger({
    level: environment.logLevel,
    secrets,
    fields: { role: environment.role, host: hostname(), pid: process.pid, version },
    format: environment.logFormat ?? (process.stdout.isTTY ? 'text' : 'json'),
  })

  const service = await startService(environment, log, { secrets, registry, version })
  void service.broken.then((reason) => {
    // Without its database or a current key the process can do nothing; the supervisor restarts it.
    log.fatal({}, reason)
    process.exit(1)
  })

  let stopping = false
  const stop = async (signal: string) => {
    // A second Ctrl-C exits at once.
    if (stopping) process.exit(130)
    stopping = true
    log.info({ signal }, 'stopping')
    await service.stop()
    log.info({}, 'stopped')
    process.exit(0)
  }
  process.on('SIGINT', () => void stop('SIGINT'))
  process.on('SIGTERM', () => void stop('SIGTERM'))

  const { url, healthUrl } = service
  log.info({ url, ...(healthUrl ? { health_url: healthUrl } : {}) }, 'millrace is ready')
  if (service.setupUrl) {
    if (process.stdout.isTTY) console.log(`\nCreate the first account: ${service.setupUrl}`)
    // The only secret in the log: it works once, for 30 minutes, while no account exists.
    else log.info({ setup_url: service.setupUrl }, 'open this address to create the first account')
  }
}

/** The message for the service operator when the service does not start. */
function errorText(error: unknown): string {
  if (error instanceof EnvironmentError) return error.message
  if (!(error instanceof AppError))
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.message}${cause}${error.fix ? `. ${error.fix}` : ''}`
}
