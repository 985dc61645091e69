import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, type WorldBrowser } from '../world/browser.ts'
import { type Flow, makeFlow, run, until } from '../world/flow.ts'
import { makePast } from '../world/past-runs.ts'
import { openWorld, type World } from '../world/world.ts'

const ada = { email: 'ada@acme.example', password: 'a mill by the water' }
const DOCUMENTS = 5_200

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
    const past = await makePast(world, flow, [
      { daysAgo: 3, documents: 5 },
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

  /** A screen in both colour schemes, and on a phone without horizontal scrolling. */
  async function examine(): Promise<void> {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
      await browser.audit(page)
    }
    await page.setViewportSize({ width: 360, height: 740 })
    await browser.audit(page)
    const tooWide = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    assert.equal(tooWide, 0, `${page.url()} scrolls sideways on a phone`)
    await page.setViewportSize({ width: 1280, height: 800 })
  }

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const list = (name: string) => page.getByRole('combobox', { name })

  test('it lists runs with result and starter, without a request per row', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${home}/jobs`)
    const rows = page.getByRole('table', { name: 'Jobs' }).getByRole('row')
    await until(
      () => rows.count(),
      (count) => count === 5,
    )
    const texts = await rows.allInnerTexts()
    assert.match(texts[1] ?? '', /Successful[\s\S]*Key: /)
    assert.match(texts[2] ?? '', /Completed with errors[\s\S]*5,200\s+52/)
    assert.match(texts[3] ?? '', /Completed with errors[\s\S]*40 held back/)
    assert.equal(asked.filter((path) => path.includes('/details')).length, 0)
    await examine()
  })

  test('it keeps its filters in the address', async () => {
    await list('State').click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await page.waitForURL(/status=FAILED/)
    await page.getByText('No matching jobs').waitFor()
    await page.reload()
    await page.getByText('No matching jobs').waitFor()
    assert.equal(await list('State').inputValue(), 'Failed')
    await button('Clear filters').click()
    await page.getByText('40 held back').waitFor()
  })

  test('it distinguishes failed runs of a workflow by shape and text', async () => {
    await page.goto(`${home}/workflows`)
    const strip = page.getByRole('img', { name: 'The last 4 runs: 2 successful, 2 completed with errors' })
    await strip.waitFor()
    assert.equal(await strip.locator('[data-tone=warning] path').count(), 2)
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
    return until(firstTitles, (titles) => JSON.stringify(titles) === JSON.stringify(wanted), 15)
  }

  test('it shows each step of a connection test as it ends', async () => {
    await world.wiki.control.set({ latencyMs: 500 })
    await page.goto(`${home}/connectors/source/${flow.sourceId}`)
    await button(/^Test( again)?$/).click()
    const steps = page.getByRole('list', { name: 'Steps of the test' }).getByRole('listitem')
    const state = (name: string) => steps.getByRole('img', { name, exact: true })
    await until(
      async () => [await state('Passed').count(), await state('Pending').count()],
      ([passed = 0, pending = 0]) => passed > 0 && pending > 0,
    )
    assert.equal(await state('In progress').count(), 1)
    await browser.audit(page)
    await world.wiki.control.set({ latencyMs: 0 })
    await page.getByText('The connection works.').first().waitFor()
    assert.equal(await state('Pending').count(), 0)
    await examine()
  })

  test('it renames a connector and reports a duplicate name', async () => {
    await makeFlow(world, { suffix: ' two', destination: { index_name: 'elsewhere' } })
    const name = page.getByLabel(/^Name( \*)?$/)
    await name.fill('wiki two')
    await button('Save and Test').click()
    await page.getByText('a source named "wiki two" exists already').first().waitFor()
    await page.locator('[name=name]:focus').waitFor()
    await name.fill('Team wiki')
    await button('Save and Test').click()
    await page.getByRole('heading', { level: 1, name: 'Team wiki' }).waitFor()
    const [source] = (await world.api.get<{ name: string }[]>('/sources')).body
    assert.equal(source?.name, 'Team wiki')
  })

  test('it shows who started a run', async () => {
    await page.goto(`${home}/workflows/${flow.workflowId}`)
    await button('Run flow').click()
    await page.goto(`${home}/jobs?workflow=${flow.workflowId}`)
    const { body: session } = await page.evaluate(async () => ({
      body: (await (await fetch('/api/v1/session')).json()) as { user: { name: string } },
    }))
    await page.getByRole('cell', { name: session.user.name, exact: true }).waitFor()
    await page
      .getByRole('link', { name: /^Job of flow/ })
      .first()
      .click()
    await page.getByText(`by ${session.user.name}`).waitFor()
  })

  test('it suggests people by name to search as', async () => {
    const someone = (await world.wiki.control.truth()).people.find((each) => each.accountType === 'atlassian')
    assert.ok(someone)
    await page.goto(`${home}/search?destination=${flow.destinationId}`)
    await list('Name or account id').fill(someone.name.slice(0, 3))
    const option = page.getByRole('option', { name: someone.name }).first()
    await option.waitFor()
    await browser.audit(page)
    await option.click()
    assert.equal(await list('Name or account id').inputValue(), someone.accountId)
    await page.getByText(`${someone.name}. The source provides their groups`).waitFor()
    await examine()
  })
})
