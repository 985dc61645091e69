import { EnvironmentError } from '../src/environment.ts'
import { personas } from '../test/world/sample/people.ts'
import { readArguments } from './arguments.ts'
import { paragraph } from './lines.ts'
import { runWorkflow } from './run-workflow.ts'
import { searchAsTwo } from './search.ts'
import { type DemoServices, openServices } from './services.ts'

/**
 * `npm run demo`: copies the sample wiki into Elasticsearch, or into the sandbox, and searches as two people.
 * `--once` exits with 0 only if both found exactly what they may read.
 */
const stopping = new AbortController()
process.once('SIGINT', () => stopping.abort())
process.once('SIGTERM', () => stopping.abort())

let services: DemoServices | undefined
try {
  const options = await readArguments(process.env, process.argv.slice(2), stopping.signal)
  services = await openServices(options, stopping.signal)
  const result = await runWorkflow(services, stopping.signal)
  const foundAll = await searchAsTwo(services, result.destinationId)
  if (!result.arrived || !foundAll) process.exitCode = 1
  if (!options.once) await printInstructions(services, result.destinationId)
} catch (error) {
  // Stopped early: 0 would claim a success that was not shown.
  process.exitCode = stopping.signal.aborted ? 130 : error instanceof EnvironmentError ? 2 : 1
  if (!stopping.signal.aborted) {
    console.error(`\n${paragraph(error instanceof Error ? error.message : String(error))}\n`)
  }
} finally {
  if (services) {
    console.log('  Stopping …')
    await services.close()
  }
}
// Open handles of libraries must not keep the demo running.
process.exit()

async function printInstructions(
  { url, key, person: who }: DemoServices,
  destinationId: string,
): Promise<void> {
  const { person, searches } = personas.lena
  console.log(`  Everything keeps running until Ctrl-C:

    The page         ${url}
    Sign in          ${who.email}, password ${who.password}
    The API          ${url}/docs
    The key          ${key}

  Search yourself, as ${person.name}:

    API=${url}/api/v1
    KEY=${key}
    INDEX=destinations/${destinationId}
    curl -s $API/$INDEX/search -H "Authorization: Bearer $KEY" \\
      -H 'Content-Type: application/json' -d '{"query": "${searches[0]?.query}",
      "as": {"user": "${person.accountId}"}}'
`)
  if (stopping.signal.aborted) return
  await new Promise<void>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  console.log()
}
