import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Response } from 'playwright-core'
import { makeFlow, run } from '../world/flow.ts'
import { makeKey, openPage, type PageWorld, viewer } from '../world/page.ts'
import { shifts, watch } from '../world/watch.ts'

// The latency of a distant service: long enough to see every skeleton.
const LATENCY_MS = 100
// The limit for good: web.dev/cls.
const MOST_SHIFT = 0.1

/** Every screen while it loads: no layout shift, no request to other hosts, no policy violation. */
describe('every screen of the page', () => {
  let { world, browser, page, home, close } = {} as PageWorld
  const found: Record<string, string> = {}
  before(async () => {
    const wiki = { seed: 9, pages: 12, spaces: 1, people: 4, groups: 2 }
    ;({ world, browser, page, home, close } = await openPage({ wiki }))
    const flow = await makeFlow(world)
    found.job = (await run(world, flow)).id
    found.workflow = flow.workflowId
    found.source = flow.sourceId
    found.destination = flow.destinationId
    // A business account shows the most: members, and workspaces to choose from.
    await viewer(world, 'vi@acme.example')
    await makeKey(world, 'Nightly import')
    await watch(page)
    // Over the debugging protocol: requests that a test intercepts bypass the browser's cache.
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY_MS,
      downloadThroughput: -1,
      uploadThroughput: -1,
    })
  })
  after(() => close?.())

  // Other journeys examine both colour schemes; this one takes the pictures.
  const look = process.env.MILLRACE_SCREENS ? 'examine' : 'audit'

  const screens: [string, () => string][] = [
    ['Start', () => ''],
    ['Connectors', () => '/connectors'],
    ['New source', () => '/connectors/source/new'],
    ['New source: Wiki (Confluence)', () => '/connectors/source/new?type=wiki'],
    ['wiki', () => `/connectors/source/${found.source}`],
    ['index', () => `/connectors/destination/${found.destination}`],
    ['Workflows', () => '/workflows'],
    ['New workflow', () => '/workflows/new'],
    ['Build it for me', () => '/workflows/new/simple'],
    ['flow', () => `/workflows/${found.workflow}`],
    ['flow', () => `/workflows/${found.workflow}?view=list`],
    ['flow', () => `/workflows/${found.workflow}?view=yaml`],
    ['flow', () => `/workflows/${found.workflow}?view=preview`],
    ['Jobs', () => '/jobs'],
    ['flow', () => `/jobs/${found.job}`],
    ['flow', () => `/jobs/${found.job}?tab=documents`],
    ['flow', () => `/jobs/${found.job}?tab=configuration`],
    ['flow', () => `/jobs/${found.job}?tab=log`],
    ['Search', () => '/search'],
    ['API keys', () => '/keys'],
    ['Settings: Account', () => '/settings/account'],
    ['Settings: Workspace', () => '/settings/workspace'],
    ['Settings: Members', () => '/settings/members'],
    ['Settings: Audit log', () => '/settings/audit'],
    ['Not found', () => '/nowhere'],
  ]
  screens.forEach(([heading, path], index) => {
    test(`it loads ${heading} (${index + 1}) without layout shift or policy violation`, async () => {
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: width === 360 ? 740 : 800 })
        const response = await page.goto(home + path())
        assertPolicy(response)
        await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
        await page.waitForLoadState('networkidle')
        await page.locator('[aria-busy=true], .mantine-Skeleton-root').first().waitFor({ state: 'detached' })
        const { sum, moved } = await shifts(page)
        assert.ok(sum <= MOST_SHIFT, `${sum.toFixed(3)} at ${width} pixels:\n${moved.join('\n')}`)
        assert.equal(await page.getByText('An unexpected error occurred').count(), 0)
      }
      await browser[look](page)
      assert.deepEqual(browser.failures.splice(0), [])
    })
  })

  for (const path of ['/sign-in', '/setup?token=none', '/invitation/none']) {
    test(`it loads ${path} without layout shift before sign-in`, async () => {
      const stranger = await browser.page()
      await watch(stranger)
      assertPolicy(await stranger.goto(new URL(path, home).href))
      await stranger.getByRole('heading', { level: 1 }).waitFor()
      await stranger.waitForLoadState('networkidle')
      const { sum, moved } = await shifts(stranger)
      assert.ok(sum <= MOST_SHIFT, moved.join('\n'))
      await browser[look](stranger)
      await stranger.context().close()
    })
  }
})

function assertPolicy(response: Response | null): void {
  const policy = response?.headers()['content-security-policy'] ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /script-src 'self';/)
  assert.doesNotMatch(policy, /unsafe|\*|https?:/)
}
