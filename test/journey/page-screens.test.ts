import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Response } from 'playwright-core'
import { firstLoad } from '../world/first-load.ts'
import { makeFlow, run } from '../world/flow.ts'
import { addViewer, makeKey, openPage, type PageWorld } from '../world/page.ts'
import { addPastRuns, CUT_BY_LIMIT } from '../world/past-runs.ts'
import { layoutShifts, observePage } from '../world/watch.ts'

// The latency of a distant service: long enough to see every skeleton.
const LATENCY_MS = 100
// The limit for good: web.dev/cls.
const MOST_SHIFT = 0.1
const MOST_REQUESTS = { first: 8, run: 12 }
// With font, API and headers.
const MOST_BYTES = 250 * 1024

const TABLE = `<h2>Gates</h2><table><tr><th>Gate</th><th>Identifier</th></tr>
  <tr><td>North</td><td>sluice.discovery.seed_hosts.configuration.of.the.north.gate</td></tr></table>`

/** Every screen while it loads: no layout shift, no request to other hosts, no policy violation. */
describe('every screen of the page', () => {
  let { world, browser, page, home, close } = {} as PageWorld
  const found: Record<string, string> = {}
  before(async () => {
    const wiki = { seed: 9, pages: 12, spaces: 1, people: 4, groups: 2 }
    ;({ world, browser, page, home, close } = await openPage({ wiki }))
    const { control } = world.wiki
    const { spaces } = await control.truth()
    const sluices = { space: spaces[0]?.key ?? '', title: 'Sluices', body: TABLE }
    found.page = await control.createPage(sluices)
    const flow = await makeFlow(world)
    found.job = (await run(world, flow)).id
    await world.destination.refresh()
    // A limit cut the last run, which has thousands of documents.
    const last = { daysAgo: 0, documents: 3000, warnings: [CUT_BY_LIMIT] }
    found.large = (await addPastRuns(world, flow, [last]))[0] ?? ''
    found.record = await recordOf(found.page)
    found.workflow = flow.workflowId
    found.source = flow.sourceId
    found.destination = flow.destinationId
    const [one, other] = (await world.wiki.control.truth()).people
    found.people = `user=${one?.accountId}&user2=${other?.accountId}`
    const compared = await world.api.post<{ documents: { record_id: string }[] }>(
      `/destinations/${flow.destinationId}/compare`,
      { query: 'home', people: [{ user: one?.accountId }, { user: other?.accountId }] },
    )
    found.hit = compared.body.documents[0]?.record_id ?? ''
    // A business account shows the most: members, and workspaces to choose from.
    await addViewer(world, 'vi@acme.example')
    await makeKey(world, 'Nightly import')
    await observePage(page)
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

  async function recordOf(pageId: string): Promise<string> {
    const path = `/jobs/${found.job}/documents?limit=100`
    const { items } = (await world.api.get<{ items: { record_id: string }[] }>(path)).body
    return items.find(({ record_id: id }) => id.endsWith(`/${pageId}`))?.record_id ?? ''
  }

  // Other journeys examine both colour schemes; this one takes the pictures.
  const look = process.env.MILLRACE_SCREENS ? 'examine' : 'audit'

  const screens: [string, () => string][] = [
    ['Start', () => ''],
    ['Connect your own', () => '/connect'],
    [
      'Connect your own',
      () => `/connect?source=${found.source}&destination=${found.destination}&step=destination`,
    ],
    ['Connect your own', () => `/connect?source=${found.source}&destination=${found.destination}&step=run`],
    ['Connectors', () => '/connectors'],
    ['New destination', () => '/connectors/destination/new'],
    ['New source: Wiki (Confluence)', () => '/connectors/source/new?type=wiki'],
    ['wiki', () => `/connectors/source/${found.source}`],
    ['index', () => `/connectors/destination/${found.destination}`],
    ['Workflows', () => '/workflows'],
    ['New workflow', () => '/workflows/new'],
    ['flow', () => `/workflows/${found.workflow}`],
    ['flow', () => `/workflows/${found.workflow}?view=steps`],
    ['flow', () => `/workflows/${found.workflow}?view=yaml`],
    ['flow', () => `/workflows/${found.workflow}?view=preview`],
    ['Runs', () => '/jobs'],
    ['flow', () => `/jobs/${found.job}`],
    ['flow', () => `/jobs/${found.job}?tab=documents`],
    ['flow', () => `/jobs/${found.large}`],
    ['flow', () => `/jobs/${found.large}?tab=documents`],
    ['flow', () => `/jobs/${found.job}?tab=log`],
    ['Sluices', () => `/documents?record=${encodeURIComponent(found.record ?? '')}`],
    ['Open a document', () => '/documents'],
    ['Document not found', () => '/documents?record=nowhere.example%2F1'],
    ['Notifications', () => '/notifications?show=all'],
    ['Access lab', () => '/search'],
    ['Access lab', () => `/search?query=home&${found.people}`],
    ['Access lab', () => `/search?query=home&${found.people}&record=${found.hit}&tab=access`],
    ['Access lab', () => `/search?query=home&${found.people}&record=${found.hit}&tab=copy`],
    ['Access lab', () => '/search?query=nothing-has-this-word'],
    ['API keys', () => '/keys'],
    ['Settings: Account', () => '/settings/account'],
    ['Settings: Workspace', () => '/settings/workspace'],
    ['Settings: Members', () => '/settings/members'],
    ['Settings: Identity', () => '/settings/identity'],
    ['Settings: Webhooks', () => '/settings/webhooks'],
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
        const { sum, moved } = await layoutShifts(page)
        assert.ok(sum <= MOST_SHIFT, `${sum.toFixed(3)} at ${width} pixels:\n${moved.join('\n')}`)
        assert.equal(await page.getByText('An unexpected error occurred').count(), 0)
        const eyes = page.locator('.mantine-PasswordInput-visibilityToggle[tabindex="-1"]')
        assert.equal(await eyes.count(), 0, 'a button that shows a password is not reachable by keyboard')
      }
      await browser[look](page)
      assert.deepEqual(browser.failures.splice(0), [])
    })
  })

  const details: [string, () => string, RegExp][] = [
    ['run', () => `/jobs/${found.job}`, /^Time per step/],
    ['workflow', () => `/workflows/${found.workflow}`, /^Fresh$/],
  ]
  for (const [name, path, last] of details)
    test(`it shows a ${name} with at most 12 requests`, async () => {
      const fresh = await browser.page()
      await fresh.context().addCookies(await page.context().cookies())
      const { requests } = await firstLoad(fresh, home + path(), () =>
        fresh.getByText(last).first().waitFor(),
      )
      assert.ok(requests.length <= MOST_REQUESTS.run, requests.join('\n'))
      await fresh.context().close()
    })

  test('it shows start and sign-in with at most 8 requests and 250 KB', async () => {
    const [start, signIn] = [await browser.page(), await browser.page()]
    await start.context().addCookies(await page.context().cookies())
    const loads = [
      await firstLoad(start, new URL('/', home).href, () =>
        start.getByRole('heading', { name: 'Last runs' }).waitFor(),
      ),
      await firstLoad(signIn, new URL('/sign-in', home).href, () => signIn.getByLabel('E-mail').waitFor()),
    ]
    for (const { requests, bytes } of loads) {
      assert.ok(requests.length <= MOST_REQUESTS.first, requests.join('\n'))
      assert.ok(bytes <= MOST_BYTES, `${bytes} bytes:\n${requests.join('\n')}`)
    }
    await start.context().close()
    await signIn.context().close()
  })

  test('it keeps its data while the service is away, and reloads it afterwards', async () => {
    const away = await browser.another(page)
    await away.goto(`${home}/keys`)
    const row = away.getByRole('row', { name: /Nightly import/ })
    await row.waitFor()
    const service = /\/(api\/v1\/.*|readyz)$/
    await away.route(service, (route) => route.abort())
    await away.getByLabel('Key Nightly import enabled').focus()
    await away.keyboard.press('Space')
    await away.getByText(/^Reconnecting, data from \d\d:\d\d$/).waitFor()
    await away.getByText('The change may have happened').first().waitFor()
    await row.waitFor()
    await browser.examine(away)
    await away.unroute(service)
    await away.getByText(/^Reconnecting/).waitFor({ state: 'detached' })
    await row.waitFor()
    await away.close()
  })

  test('it shows a page for an unknown address, with a way home', async () => {
    const visitor = await browser.page()
    const response = await visitor.goto(new URL('/nope', home).href)
    assert.equal(response?.status(), 404)
    assertPolicy(response)
    await visitor.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
    await browser.examine(visitor)
    await visitor.getByRole('link', { name: 'Go to start' }).click()
    await visitor.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await visitor.context().close()
  })

  test('it speaks German on every screen, without scrolling sideways on a phone', async () => {
    const own = await browser.page({ width: 390 })
    const choice = { name: 'millrace_language', value: 'de', url: new URL('/', home).href }
    await own.context().addCookies([...(await page.context().cookies()), choice])
    const english = new Set<string>()
    for (const [, path] of screens) {
      await own.goto(home + path())
      await own.getByRole('heading', { level: 1 }).waitFor()
      await own.waitForLoadState('networkidle')
      assert.equal(await own.evaluate('document.documentElement.scrollWidth > innerWidth'), false, path())
      if (!SHOWS_DOCUMENTS.test(path()))
        for (const text of await own.evaluate<string[]>(ENGLISH)) english.add(`${path()}: ${text}`)
    }
    await own.context().close()
    assert.deepEqual([...english], [])
  })

  for (const path of ['/sign-in', '/setup?token=none', '/invitation/none']) {
    test(`it loads ${path} without layout shift before sign-in`, async () => {
      const stranger = await browser.page()
      await observePage(stranger)
      assertPolicy(await stranger.goto(new URL(path, home).href))
      await stranger.getByRole('heading', { level: 1 }).waitFor()
      await stranger.waitForLoadState('networkidle')
      const { sum, moved } = await layoutShifts(stranger)
      assert.ok(sum <= MOST_SHIFT, moved.join('\n'))
      await browser[look](stranger)
      await stranger.context().close()
    })
  }
})

const SHOWS_DOCUMENTS = /^\/(documents|search)|tab=documents|tab=log|view=preview/

/** Texts and names of elements with an English word that no German text has; code is the same in all languages. */
const ENGLISH = `(() => {
  const isEnglish = (text) => /\\b(the|of|and|with|your|are|not|from|by|for|all|no|run|new|show|last)\\b/i.test(text)
  const texts = []
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('code, pre, script, style, .mono, .cm-editor, [lang=en]')) continue
    const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
    texts.push(...own.map(({ textContent }) => textContent))
    texts.push(...['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? ''))
  }
  // The service writes its messages in English, and a query is the same in all languages.
  return texts.map((text) => text.replace(/Meldung: .*|ancestor = .*/s, '').trim()).filter(isEnglish)
})()`

function assertPolicy(response: Response | null): void {
  const policy = response?.headers()['content-security-policy'] ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /script-src 'self';/)
  assert.doesNotMatch(policy, /unsafe|\*|https?:/)
}
