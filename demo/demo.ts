import { parseArgs } from 'node:util'
import { MissingTool } from '../test/world/search-engine/build.ts'
import { carry } from './carry.ts'
import { searchAsTwo } from './search.ts'
import { openStage, type Stage } from './stage.ts'

/**
 * `npm run demo`: the main job, from nothing. Starts everything, carries a sample wiki into a real
 * Elasticsearch through the public API, and searches it as two people with different rights.
 * `--once` ends by itself, with 0 only if every page arrived and both saw exactly what they should.
 */
const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } })

const stopping = new AbortController()
process.once('SIGINT', () => stopping.abort())
process.once('SIGTERM', () => stopping.abort())

let stage: Stage | undefined
try {
  stage = await openStage(stopping.signal)
  const carried = await carry(stage, stopping.signal)
  const seen = await searchAsTwo(stage, carried.destinationId)
  const well = carried.arrived && seen
  if (!well) process.exitCode = 1
  if (!values.once) await invite(stage)
} catch (error) {
  if (!stopping.signal.aborted) {
    process.exitCode = 1
    console.error(`\n  ${error instanceof MissingTool || error instanceof Error ? error.message : error}\n`)
  }
} finally {
  if (stage) {
    console.log('  Stopping …')
    await stage.close()
  }
}
// Whatever a library left open must not keep a demo alive that has said its last word.
process.exit()

async function invite({ url, key, signIn }: Stage): Promise<void> {
  console.log(`  It is all still running, until Ctrl-C:

    The API          ${url}/docs
    The key          ${key}
    Search yourself  curl -s ${url}/api/v1/workflows/ -H 'Authorization: Bearer ${key}'
    The sample wiki  ${signIn}
`)
  if (stopping.signal.aborted) return
  await new Promise<void>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  console.log()
}
