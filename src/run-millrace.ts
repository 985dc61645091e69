import type { Registry } from './connectors/registry.ts'
import { EnvironmentError, readEnvironment } from './environment.ts'
import { AppError } from './errors.ts'
import { createLogger } from './log/log.ts'
import { createRedactions } from './log/redaction.ts'
import { startService } from './start.ts'

/** The whole process: environment, resources, doors, orderly stop. */
export async function runMillrace(registry: Registry): Promise<void> {
  try {
    await run(registry)
  } catch (error) {
    console.error(`millrace: ${lineOf(error)}`)
    process.exit(error instanceof EnvironmentError ? 2 : 1)
  }
}

async function run(registry: Registry): Promise<void> {
  const environment = readEnvironment()
  const secrets = createRedactions()
  // Drivers quote parts of an address, so its password is hidden by itself too.
  const { databaseUrl, setupApiKey, setup } = environment
  const password = databaseUrl ? decodeURIComponent(new URL(databaseUrl).password) : null
  for (const secret of [setupApiKey, setup?.password, databaseUrl, password]) if (secret) secrets.add(secret)
  const log = createLogger({ level: environment.logLevel, secrets })

  const service = await startService(environment, log, { hide: (secret) => secrets.add(secret), registry })
  log.info({ role: environment.role, url: service.url }, 'millrace is ready')
  if (service.setupUrl) {
    // The one secret that a log may hold: it works once, for half an hour, and only while nobody has an account.
    log.info({ setup_url: service.setupUrl }, 'open this address to make the first account')
    if (process.stdout.isTTY) console.log(`\nMake the first account: ${service.setupUrl}\n`)
  }

  void service.broken.then((reason) => {
    // Whoever supervises us starts us again; without its database a process would live on and do nothing.
    log.fatal({}, reason)
    process.exit(1)
  })

  let stopping = false
  const stop = async (signal: string) => {
    // A second Ctrl-C means now.
    if (stopping) process.exit(130)
    stopping = true
    log.info({ signal }, 'stopping')
    await service.stop()
    log.info({}, 'stopped')
    process.exit(0)
  }
  process.on('SIGINT', () => void stop('SIGINT'))
  process.on('SIGTERM', () => void stop('SIGTERM'))
}

/** What an operator reads when there is no service to log for it. */
function lineOf(error: unknown): string {
  if (error instanceof EnvironmentError) return error.message
  if (!(error instanceof AppError))
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.message}${cause}${error.fix ? `. ${error.fix}` : ''}`
}
