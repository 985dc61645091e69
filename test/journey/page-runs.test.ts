import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, type WorldBrowser } from '../world/browser.ts'
import { type Flow, finish, makeFlow, run, until } from '../world/flow.ts'
import { addPastRuns, CUT_BY_LIMIT } from '../world/past-runs.ts'
import { settles } from '../world/settled.ts'
import { openWorld, type World } from '../world/world.ts'

const ada = { email: 'ada@acme.example', password: 'a mill by the water' }
const DOCUMENTS = 5_200
const LIMIT = CUT_BY_LIMIT.limit.setting
const LAST_RUNS = 'The last 4 runs: 1 successful, 2 completed with errors, 1 incomplete'

/** Many runs and documents: filtered, sorted, and found again by URL. */
describe('the page of many runs', () => {
  let world: World
  let flow: Flow
  let browser: WorldBrowser
  let page: Page
  let home: string
  let large: string
  before(async () => {
    world = await openWorld({
      wiki: { seed: 22, pages: 12, spaces: 2, people: 6, groups: 3 },
      env: { MILLRACE_SETUP_EMAIL: ada.email, MILLRACE_SETUP_PASSWORD: ada.password },
    })
    flow = await makeFlow(world)
    const url = world.millrace.url ?? ''
    browser = await openBrowser(url)
    page = await browser.page()
    await page.goto(url)
    await page.getByLabel('E-mail').fill(ada.email)
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(/\/w\/[0-9a-f-]{36}/)
    home = `${url}${/\/w\/[0-9a-f-]{36}/.exec(page.url())?.[0]}`
    const past = await addPastRuns(world, flow, [
      { daysAgo: 3, documents: 5, warnings: [CUT_BY_LIMIT] },
      { daysAgo: 2, documents: 200, processingStatus: 'COMPLETED_WITH_ERRORS', heldBack: 40 },
      { daysAgo: 1, documents: DOCUMENTS, processingStatus: 'COMPLETED_WITH_ERRORS' },
    ])
    large = past[2] ?? ''
    await run(world, flow)
  })
  after(async () => {
    await world?.close()
    await browser?.close()
  })

  const examine = () => browser.examine(page)
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const list = (name: string) => page.getByRole('combobox', { name })

  test('it lists runs with result and starter, without a request per row', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${home}/jobs`)
    const rows = page.getByRole('table', { name: 'Runs' }).getByRole('row')
    await until(
      () => rows.count(),
      (count) => count === 5,
    )
    await rows.getByText('Incomplete: 81 pages left out').waitFor()
    const texts = await rows.allInnerTexts()
    assert.match(texts[1] ?? '', /Successful[\s\S]*Key: /)
    assert.match(texts[2] ?? '', /Completed with errors[\s\S]*5,200\s+52/)
    assert.match(texts[3] ?? '', /Completed with errors[\s\S]*40 held back/)
    assert.match(texts[4] ?? '', /Incomplete: 81 pages left out/)
    assert.equal(asked.filter((path) => path.includes('/details')).length, 0)
    await examine()
  })

  test('it shows the state of a run on a phone without scrolling sideways', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    for (const text of ['Successful', '40 held back', 'Incomplete: 81 pages left out']) {
      const box = await page.getByText(text, { exact: true }).first().boundingBox()
      assert.ok(box && box.x >= 0 && box.x + box.width <= 390, `${text}: ${JSON.stringify(box)}`)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('it opens the setting that cut a run', async () => {
    await page.getByRole('link', { name: 'Incomplete: 81 pages left out. Open the setting' }).click()
    await page.waitForURL(new RegExp(`/connectors/source/${flow.sourceId}#${LIMIT}`))
    await page.locator(`[name$="${LIMIT}"]:focus`).waitFor()
    await page.getByRole('textbox', { name: 'Maximum number of pages per space' }).waitFor()
    await page.goBack()
    await page.getByText('Incomplete: 81 pages left out').waitFor()
  })

  test('it keeps its filters in the address', async () => {
    await list('State').click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await page.waitForURL(/status=FAILED/)
    await page.getByText('No matching runs').waitFor()
    await page.reload()
    await page.getByText('No matching runs').waitFor()
    assert.equal(await list('State').inputValue(), 'Failed')
    await button('Clear filters').click()
    await page.getByText('40 held back').waitFor()
    // Two days ago: one of the past runs.
    const day = new Date(Date.now() - 2 * 86_400_000)
    const local = await page.evaluate((at) => new Date(at).toLocaleDateString('sv'), day.getTime())
    await page.getByLabel('From').fill(local)
    await page.getByLabel('Until').fill(local)
    await page.waitForURL(new RegExp(`until=${local}`))
    await until(
      () => page.getByRole('table', { name: 'Runs' }).getByRole('row').count(),
      (rows) => rows === 2,
    )
    await page.getByText('40 held back').waitFor()
    await examine()
    await button('Clear filters').click()
  })

  test('it distinguishes failed runs of a workflow by shape and text', async () => {
    await page.goto(`${home}/workflows`)
    const strip = page.getByRole('img', { name: LAST_RUNS })
    await strip.waitFor()
    assert.equal(await strip.locator('[data-tone=warning] path').count(), 3)
    assert.equal(await strip.locator('[data-tone=good] path').count(), 0)
    assert.match(
      (await strip.locator('[data-tone=warning] title').allTextContents()).join('\n'),
      /Completed with errors, 2 failed, 40 held back, 12 s\n.*Completed with errors, 52 failed, 12 s/,
    )
    await examine()
  })

  const firstTitles = () => page.getByRole('cell').getByRole('link').allInnerTexts()
  /** The current page of the table, once it is loaded. */
  const shown = (number: number) => page.getByText(`Page ${number}`, { exact: true }).waitFor()

  test('it sorts thousands of documents page by page, in both directions and after a reload', async () => {
    await page.goto(`${home}/jobs/${large}?tab=documents`)
    await button('Document').click()
    await page.waitForURL(/sort=title/)
    await page
      .getByRole('columnheader', { name: 'Document' })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor()
    await button('Document').click()
    await page.waitForURL(/desc=true/)
    const pages: string[][] = []
    const wanted = await inOrder()
    for (let number = 1; number <= 4; number++) {
      await shown(number)
      pages.push(await settled(wanted[number - 1]))
      if (number < 4) await button('Next').click()
    }
    assert.deepEqual(pages, wanted)
    assert.match(page.url(), /page=4/)
    await page.reload()
    await shown(4)
    assert.deepEqual(await settled(wanted[3]), wanted[3])
    for (const number of [3, 2, 1]) {
      await button('Previous').click()
      await shown(number)
      assert.deepEqual(await settled(wanted[number - 1]), wanted[number - 1])
    }
    assert.doesNotMatch(page.url(), /cursor=/)
    await page.goBack()
    await shown(2)
    assert.deepEqual(await settled(wanted[1]), wanted[1])
    await examine()

    // Another filter starts from the first page, in the same order.
    await list('State').click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await page.waitForURL((url) => !url.search.includes('cursor') && url.search.includes('state=failed'))
    await shown(1)
    await until(
      () => page.getByRole('row').count(),
      (rows) => rows === 51,
    )
    assert.match(page.url(), /sort=title/)
    await page.getByText('52 matching documents').waitFor()
    await page.getByRole('textbox', { name: 'Title' }).fill('cedar 10')
    await page.getByText('No matching documents').waitFor()
    await list('State').click()
    await page.getByRole('option', { name: /^New \(\d+\)/ }).click()
    await until(firstTitles, (titles) => titles.length > 5 && titles.every((each) => /^Cedar 10/.test(each)))
    await button('Clear filters').click()
    await page.getByText('5,200 documents', { exact: true }).waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    const box = await page
      .getByText('Failed', { exact: true })
      .or(page.getByText('New', { exact: true }))
      .first()
      .boundingBox()
    assert.ok(box && box.x + box.width <= 390, JSON.stringify(box))
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  /** The first four pages from the API, without a cursor. */
  async function inOrder(): Promise<string[][]> {
    const query = 'sort_by=title&sort_direction=desc&limit=200'
    const answer = await world.api.get<{ items: { title: string }[] }>(`/jobs/${large}/documents?${query}`)
    const titles = answer.body.items.map(({ title }) => title)
    return [0, 50, 100, 150].map((from) => titles.slice(from, from + 50))
  }

  /** The rows, once they are those of this page. */
  function settled(wanted: string[] | undefined): Promise<string[]> {
    return until(firstTitles, (titles) => JSON.stringify(titles) === JSON.stringify(wanted))
  }

  test('it shows each step of a connection test as it ends', async () => {
    // Each step takes seconds, so that the page shows it before the next.
    await world.wiki.control.set({ latencyMs: 2000 })
    await page.goto(`${home}/connectors/source/${flow.sourceId}`)
    await button(/^Test( again)?$/).click()
    const steps = page.getByRole('list', { name: 'Steps of the test' }).getByRole('listitem')
    const states = await until(
      () => steps.getByRole('img').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label'))),
      (all) => all.includes('Passed') && all.includes('Pending'),
    )
    assert.equal(states.filter((each) => each === 'In progress').length, 1)
    await browser.audit(page)
    await world.wiki.control.set({ latencyMs: 0 })
    await page.getByText('The connection works.').first().waitFor()
    await settles(() => steps.getByRole('img', { name: 'Pending', exact: true }).count(), 0)
    await examine()
  })

  test('it renames a connector and reports a duplicate name', async () => {
    await makeFlow(world, { suffix: ' two', destination: { index_name: 'elsewhere' } })
    const name = page.getByLabel(/^Name( \*)?$/)
    await name.fill('wiki two')
    await button('Save and test').click()
    await page.getByText('a source named "wiki two" exists already').first().waitFor()
    await page.locator('[name=name]:focus').waitFor()
    await name.fill('Team wiki')
    await button('Save and test').click()
    await page.getByRole('heading', { level: 1, name: 'Team wiki' }).waitFor()
    const [source] = (await world.api.get<{ name: string }[]>('/sources')).body
    assert.equal(source?.name, 'Team wiki')
  })

  test('it shows who started a run', async () => {
    await page.goto(`${home}/workflows/${flow.workflowId}`)
    // Leaving the page before the response would cancel the request.
    await button('Run flow').click()
    await button('Start run').click()
    await page.waitForURL(/\/jobs\/[^/?]+$/)
    const started = page.url().split('/').at(-1) ?? ''
    await page.goto(`${home}/jobs?workflow=${flow.workflowId}`)
    const { body: session } = await page.evaluate(async () => ({
      body: (await (await fetch('/api/v1/session')).json()) as { user: { name: string } },
    }))
    await page.getByRole('cell', { name: session.user.name, exact: true }).waitFor()
    await page
      .getByRole('link', { name: /^Run of flow/ })
      .first()
      .click()
    await page.getByText(`by ${session.user.name}`).waitFor()
    // The next test retries jobs of the same workflow.
    await finish(world, started)
  })

  test('it retries and approves several runs at once, with a result for each', async () => {
    await page.goto(`${home}/jobs`)
    await button(/^Select all \d runs/).click()
    await page.getByText('2 runs selected').waitFor()
    await examine()
    await button('Retry 54 failed documents').click()
    const dialog = page.getByRole('dialog', { name: 'Retry 54 failed documents of 2 runs' })
    await dialog.getByText('Each run gets a new run').waitFor()
    await browser.audit(page)
    await dialog.getByRole('button', { name: 'Retry 54 documents' }).click()
    const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem')
    await results.getByText('Retry started').waitFor()
    // A workflow runs one job at a time.
    await results.getByText('Not done').waitFor()
    assert.equal(await results.count(), 2)
    await examine()
    await page.getByRole('status').getByRole('button', { name: 'Close' }).click()
    await button(/^Select all 2 runs/).waitFor()

    await page.getByRole('row').filter({ hasText: '40 held back' }).getByRole('checkbox').check()
    await button('Approve removal of 40 documents').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove 40 documents' }).click()
    await results.getByText(/is newer\. Approve the removals of that job\./).waitFor()
  })
})
