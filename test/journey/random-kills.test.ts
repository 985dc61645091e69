import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { killAtRandom } from '../world/random-kills.ts'

const TIMEOUT_MS = 840_000

// At once, because restarted processes wait for the queue. bench/reliability/kills.ts runs more of them.
describe('random kills', { concurrency: true }, () => {
  for (const { seed, destination, workers } of [
    { seed: 101, destination: 'searchindex', workers: 0 },
    { seed: 102, destination: 'postgres', workers: 2 },
  ] as const)
    test(`it makes ${destination} agree with the wiki when each job ends, with 10 kills and ${workers || 'no'} separate workers (seed ${seed})`, {
      timeout: TIMEOUT_MS,
    }, async (context) => {
      const ended = await killAtRandom({ seed, destination, workers, kills: 10 })
      const { kills, runs, searches, hits, seconds } = ended
      context.diagnostic(`${runs} runs, ${searches} searches with ${hits} hits in ${seconds} s`)
      assert.equal(kills.length, 10)
      assert.ok(searches > runs && hits > 0)
    })
})
