import type { Page } from 'playwright-core'
import { firstLoad } from '../test/world/first-load.ts'
import { makeFlow, run } from '../test/world/flow.ts'
import { openPage } from '../test/world/page.ts'
import { machine, saveResult } from './results.ts'

/**
 * Time until the start screen shows its content, from an empty cache: on loopback, and on slow 4G (1.6 Mbit/s down,
 * 0.75 Mbit/s up, 150 ms round trip) with a processor at a quarter of its speed.
 */
const ROUNDS = 5
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (0.75 * 1024 * 1024) / 8,
}
const SLOW_CPU = 4

const wiki = { seed: 9, pages: 12, spaces: 1, people: 4, groups: 2 }
const { world, browser, page, home, close } = await openPage({ wiki })
try {
  await run(world, await makeFlow(world))
  const cookies = await page.context().cookies()
  await page.close()
  const results: Record<string, object> = {}
  for (const name of ['loopback', 'slow 4G, 4x CPU']) {
    const times: number[] = []
    let requests = 0
    let bytes = 0
    for (let round = 0; round < ROUNDS; round++) {
      const visitor = await browser.page()
      await visitor.context().addCookies(cookies)
      if (name !== 'loopback') await slow(visitor)
      let ms = Number.NaN
      const load = await firstLoad(visitor, home, async () => {
        await visitor.getByRole('heading', { name: 'Last runs' }).waitFor()
        ms = await visitor.evaluate('performance.now()')
      })
      times.push(Math.round(ms))
      requests = load.requests.length
      bytes = load.bytes
      await visitor.context().close()
    }
    times.sort((one, other) => one - other)
    results[name] = { median_ms: times[Math.floor(ROUNDS / 2)], worst_ms: times.at(-1), requests, bytes }
  }
  console.table(results)
  await saveResult('page.jsonl', { at: new Date().toISOString(), ...machine(), results })
} finally {
  await close()
}

async function slow(visitor: Page): Promise<void> {
  const session = await visitor.context().newCDPSession(visitor)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', SLOW_4G)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW_CPU })
}
