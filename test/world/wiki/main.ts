import { fstatSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createCommands, runCommand } from './control.ts'
import { createCounters } from './counters.ts'
import { createFaults } from './faults.ts'
import { generateWiki } from './generator.ts'
import { largeSpace } from './large-space.ts'
import type { Settings } from './model/settings.ts'
import { createOriginals } from './originals.ts'
import { type Parts, startServers } from './server.ts'
import { createDeclared } from './spec/declared.ts'

/** The simulated wiki as a process. Prints its addresses as JSON, and ends when its standard input closes. */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    spaces: { type: 'string', default: '5' },
    pages: { type: 'string', default: '200' },
    /** Instead of a generated wiki: one space with so many pages. */
    large: { type: 'string' },
    people: { type: 'string', default: '40' },
    groups: { type: 'string', default: '10' },
    comments: { type: 'string', default: 'false' },
    includes: { type: 'string', default: 'false' },
    everyKind: { type: 'string', default: 'false' },
    folders: { type: 'string' },
    latency: { type: 'string', default: '0' },
    sample: { type: 'string' },
    /** JSON of any settings, see model.ts. */
    settings: { type: 'string', default: '{}' },
  },
})

const settings: Partial<Settings> = { ...JSON.parse(values.settings), latencyMs: Number(values.latency) }
const { world, beforeAnswer, originals } = await makeWorld()
const counters = createCounters()
const faults = createFaults()
const declared = createDeclared(world)
const commands = createCommands(world, { counters, faults, declared })
const control = async (name: string, body: string) => runCommand(commands, name, body)
const { urls, close } = await startServers(
  { world, counters, faults, declared, control, beforeAnswer, originals },
  Number(values.port),
)

const stop = () => {
  close()
  process.exit(0)
}
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
// A pipe or socket closes with its owner. A terminal or /dev/null does not.
const input = fstatSync(0)
if (input.isFIFO() || input.isSocket()) process.stdin.resume().once('end', stop).once('error', stop)

const origin = new URL(urls.cloudUrl).origin
process.stdout.write(
  `${JSON.stringify({ ...urls, gatewayUrl: `${origin}/ex/confluence/${world.cloudId}`, siteUrl: origin, controlUrl: `${origin}/__control`, cloudId: world.cloudId })}\n`,
)

async function makeWorld(): Promise<Pick<Parts, 'world' | 'beforeAnswer' | 'originals'>> {
  if (values.large !== undefined) return largeSpace(Number(values.large), settings)
  if (values.sample !== undefined) {
    const { loadSample } = await import('./sample.ts')
    const world = loadSample(values.sample, settings)
    return { world, originals: createOriginals(world) }
  }
  const { seed, spaces, pages, people, groups, comments, includes, everyKind, folders } = values
  if (folders !== undefined && folders !== 'ordinary')
    throw new Error(`folders can only be ordinary, not ${folders}`)
  const world = generateWiki(
    {
      seed: Number(seed),
      spaces: Number(spaces),
      pages: Number(pages),
      people: Number(people),
      groups: Number(groups),
      comments: comments === 'true',
      includes: includes === 'true',
      everyKind: everyKind === 'true',
      folders,
    },
    settings,
  )
  return { world }
}
