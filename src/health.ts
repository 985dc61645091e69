import { readEnvironment } from './environment.ts'
import { HEALTH_PORT } from './start/ports.ts'

const SECONDS = 4

/** `millrace health` asks the process of this container, which serves on one of two ports; no answer is an exit code of 1. */
const { port, healthPort: given } = readEnvironment(undefined, [])
const healthPort = given ?? HEALTH_PORT
const isHealthy = async (at: number) => {
  const answer = await fetch(`http://127.0.0.1:${at}/healthz`, {
    signal: AbortSignal.timeout(SECONDS * 1000),
  })
  if (!answer.ok) throw new Error(`/healthz answers ${answer.status}`)
}
await Promise.any([isHealthy(port), isHealthy(healthPort)]).catch(() => {
  console.error(`millrace: no process answers on port ${port} or ${healthPort}`)
  process.exitCode = 1
})
