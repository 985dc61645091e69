import { parseArgs } from 'node:util'
import { buildEngine, ELASTICSEARCH } from '../../test/world/search-engine/build.ts'
import { PEERS, pythonOf } from './environments.ts'
import { isIsolated, runIsolated } from './isolation.ts'

/**
 * `npm run bench:peers`: Millrace and three other tools, one after the other on one simulated wiki and one real
 * Elasticsearch. Installs the others by pip first; then nothing leaves the machine.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1350' },
    rounds: { type: 'string', default: '5' },
    latency: { type: 'string', default: '0,20' },
    tools: { type: 'string' },
    /** Neither saves the result nor changes docs. */
    'print-only': { type: 'boolean', default: false },
  },
})

if (!isIsolated()) {
  for (const peer of PEERS) await pythonOf(peer)
  await buildEngine(ELASTICSEARCH, { log: console.log, signal: undefined })
  if (await runIsolated()) process.exit()
  console.log('no network namespace: only the guard in Python refuses other addresses')
}
const { comparePeers } = await import('./compare.ts')
await comparePeers({
  pages: Number(values.pages),
  rounds: Number(values.rounds),
  latencies: values.latency.split(',').map(Number),
  only: values.tools?.split(','),
  save: !values['print-only'],
})
process.exit()
