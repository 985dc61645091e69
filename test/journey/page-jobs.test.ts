import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe } from 'node:test'
import { contents } from '../world/agreement.ts'
import { finders } from '../world/finders.ts'
import { type Flow, makeFlow, run, setSource, startRun, until } from '../world/flow.ts'
import { addViewer, openPage, type PageWorld, signIn } from '../world/page.ts'
import { settles } from '../world/settled.ts'
import { steps } from '../world/steps.ts'
import { wikiConfig } from '../world/world.ts'

// So slow that a run cannot end before the page shows it.
const HELD_MS = 5000
const JOB_MS = 120_000

/** From an empty workspace to a run that is watched, cancelled, retried and approved. */
describe('the page of runs', () => {
  let { world, browser, page, home, close } = {} as PageWorld
  let flow: Flow
  before(async () => {
    const wiki = { seed: 21, pages: 60, spaces: 2, people: 6, groups: 3 }
    ;({ world, browser, page, home, close } = await openPage({ wiki }))
  })
  after(() => close?.())

  const step = steps()
  const { heading, button } = finders(() => page)
  const examine = () => browser.examine(page)

  /** The numbers as read out: the discovered documents, and the sum of the rest. */
  async function readCounts(): Promise<[number, number]> {
    const line = page.getByText(/^\d+ discovered/)
    if ((await line.count()) === 0) return [0, 0]
    const showsText = await line.textContent()
    const [discovered = 0, ...terms] = (showsText?.match(/\d+/g) ?? []).map(Number)
    return [discovered, terms.reduce((sum, term) => sum + term, 0)]
  }

  step('it offers three ways to start and previews a file', async () => {
    await page.goto(home)
    await heading('Start')
    await page.getByRole('link', { name: 'Connect your own' }).waitFor()
    await page.getByRole('button', { name: /^Try it/ }).waitFor()
    await examine()
    await page.locator('input[type=file]').setInputFiles({
      name: 'sluice.html',
      mimeType: 'text/html',
      buffer: Buffer.from('<h1>The sluice</h1><p>Water &lt;b&gt;runs&lt;/b&gt; through it every day.</p>'),
    })
    await page.getByRole('heading', { name: 'Elements of sluice.html' }).waitFor()
    await page.getByText('Water <b>runs</b> through it every day.').waitFor()
    await examine()
  })

  step('it explains in an empty list how to get a first run', async () => {
    await page.goto(`${home}/jobs`)
    await page.getByText('No runs yet').waitFor()
    await examine()
  })

  let live: string
  step('it follows a run with counts that always add up', async () => {
    flow = await makeFlow(world)
    await world.wiki.control.set({ latencyMs: HELD_MS })
    live = await startRun(world, flow)
    await page.goto(`${home}/jobs/${live}`)
    await heading('flow')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('The documents are being listed.').waitFor()
    await examine()
    const seen = new Set<number>()
    await world.wiki.control.set({ latencyMs: 700 })
    const progress = page.getByRole('list', { name: 'Steps of the run' })
    await progress.getByRole('listitem').filter({ hasText: 'Chunker' }).waitFor()
    seen.add((await readCounts())[0])
    await examine()
    await world.wiki.control.set({ latencyMs: 150 })
    await until(
      async () => {
        const [discovered, sum] = await readCounts()
        assert.equal(discovered, sum)
        seen.add(discovered)
        return page.locator('h1 ~ span').textContent()
      },
      (state) => state === 'Successful',
      JOB_MS / 1000,
    )
    await world.wiki.control.set({ latencyMs: 0 })
    const { discovered } = (await world.api.get<{ counts: { discovered: number } }>(`/jobs/${live}/details`))
      .body.counts
    await settles(readCounts, [discovered, discovered])
    // Without a reload; one event may carry the last documents and the end.
    seen.add(discovered)
    assert.ok(seen.size > 1, `the counts changed: ${[...seen]}`)
    await page.getByText(/^Time per step: Listing .* · Reading .* · Writing /).waitFor()
    assert.equal(await page.getByRole('img', { name: /^Documents per second/ }).count(), 0)
    await examine()
  })

  step('it shows the settings of a run and downloads its log', async () => {
    await page.getByText('Settings of this run').click()
    await page.getByRole('link', { name: 'wiki', exact: true }).waitFor()
    await page.getByText('chunk_by_title').waitFor()
    await examine()
    await page.getByRole('tab', { name: 'Log' }).click()
    await page.waitForURL(/tab=log/)
    await page.getByText('Run ended: Successful', { exact: true }).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download log').click()])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
    assert.equal(JSON.parse(lines.at(-1) ?? '').event, 'end')
    await examine()
  })

  let failedId: string
  step('it shows failed documents with reason and fix', async () => {
    const truth = await world.wiki.control.truth()
    const victim = truth.pages.find((each) => each.kind === 'page' && each.status === 'current')
    assert.ok(victim)
    failedId = victim.id
    await world.wiki.control.setBinaryBody(victim.id)
    const ended = await run(world, flow)
    await page.goto(`${home}/jobs/${ended.id}?tab=log`)
    await page.getByRole('combobox', { name: 'Level' }).click()
    await page.getByRole('option', { name: 'Errors', exact: true }).click()
    const lines = page.getByRole('table', { name: 'Log of the run' }).locator('tbody tr')
    await until(
      () => lines.allInnerTexts(),
      (texts) => texts.length === 1 && texts.every((text) => /Error[\s\S]*Failed/.test(text)),
    )
    await examine()
    await page.getByRole('textbox', { name: 'Text' }).fill('no such line')
    await page.getByText('No line matches.').waitFor()
    await page.goto(`${home}/jobs/${ended.id}`)
    await page.getByRole('link', { name: 'Show failed documents' }).waitFor()
    await page.getByRole('link', { name: '1 failed' }).click()
    await page.waitForURL(/state=failed/)
    const row = page.getByRole('row').filter({ hasText: victim.title })
    await row.getByText('Broken file').waitFor()
    await settles(() => page.getByRole('row').count(), 2)
    await examine()
    await row.getByRole('link').focus()
    await page.keyboard.press('Enter')
    await heading(victim.title)
    await page.getByText('The last run failed on this document: Broken file').waitFor()
    await page.goBack()
  })

  step('it retries failed documents in a new run and opens it', async () => {
    await world.wiki.control.editPage(failedId, { body: '<p>Mended.</p>' })
    const before = page.url()
    await button('Retry 1 failed document').click()
    await page.waitForURL((url) => url.href.split('?')[0] !== before.split('?')[0])
    await page.getByText('Successful', { exact: true }).waitFor({ timeout: JOB_MS })
    await settles(readCounts, [1, 1])
  })

  step('it polls if events do not arrive', async () => {
    await page.route('**/events', (route) => route.abort())
    await world.wiki.control.set({ latencyMs: HELD_MS })
    await page.goto(`${home}/jobs/${await startRun(world, flow)}`)
    await page.getByText('Live, every 2 seconds').waitFor()
    await world.wiki.control.set({ latencyMs: 0 })
    await page.getByText('Successful', { exact: true }).waitFor({ timeout: JOB_MS })
    const [discovered, sum] = await readCounts()
    assert.ok(discovered > 1 && discovered === sum, `${discovered} = ${sum}`)
    await page.unroute('**/events')
  })

  step('it stops a run after a confirmation', async () => {
    for (const each of (await world.wiki.control.truth()).pages) {
      if (each.kind === 'page' && each.status === 'current')
        await world.wiki.control.editPage(each.id, { body: `<p>Again ${each.id}.</p>` })
    }
    await world.wiki.control.set({ latencyMs: HELD_MS })
    await page.goto(`${home}/jobs/${await startRun(world, flow)}`)
    await button('Stop run').click()
    const dialog = page.getByRole('dialog', { name: 'Stop this run' })
    await dialog.getByText('Nothing is removed from the index.').waitFor()
    await browser.audit(page)
    await dialog.getByRole('button', { name: 'Stop run' }).click()
    await page.getByText('Stopped', { exact: true }).first().waitFor()
    assert.equal(await button('Close notice').count(), 0)
    await examine()
    await world.wiki.control.set({ latencyMs: 0 })
    const stopped = page.url()
    await button('Run again').click()
    await page.waitForURL((url) => url.href !== stopped)
    await page.getByText('Successful', { exact: true }).waitFor({ timeout: JOB_MS })
  })

  step('it opens a failed run with its cause and what fixes it', async () => {
    await setSource(world, flow.sourceId, wikiConfig(world, { token: 'not-the-token-at-all' }))
    const failed = await run(world, flow)
    await page.goto(`${home}/jobs/${failed.id}`)
    const banner = page.getByRole('alert').filter({ hasText: 'The source rejected the credentials' })
    await banner.getByText('Enter valid credentials, then run again.').waitFor()
    for (const name of ['Documents', 'Progress', 'Warnings'])
      assert.equal(await page.getByRole('heading', { level: 2, name, exact: true }).count(), 0, name)
    assert.doesNotMatch(await page.locator('main').innerText(), /source_|401|[a-z]_[a-z]/)
    await examine()
    await banner.getByRole('link', { name: 'Fix the connection of wiki' }).click()
    await page.waitForURL(new RegExp(`/connectors/source/${flow.sourceId}`))
    await setSource(world, flow.sourceId, wikiConfig(world))
    await page.goto(`${home}/jobs/${failed.id}`)
    await banner.getByRole('button', { name: 'Run again' }).click()
    await page.waitForURL((url) => !url.href.includes(failed.id))
    await page.getByText('Successful', { exact: true }).waitFor({ timeout: JOB_MS })
    assert.equal(await banner.count(), 0)
  })

  step('it counts what a run reprocessed', async () => {
    const path = `/workflows/${flow.workflowId}`
    await world.api.put(path, { reprocess_all: true })
    const { details } = await run(world, flow)
    await world.api.put(path, { reprocess_all: false })
    await page.goto(`${home}/jobs`)
    await page
      .getByRole('link', { name: /^Run of flow/ })
      .first()
      .click()
    await page.getByRole('link', { name: `${details.counts.changed} reprocessed` }).click()
    await page.getByRole('cell').getByText('Reprocessed').first().waitFor()
  })

  step('it compares a run with an earlier one', async () => {
    await page.getByRole('combobox', { name: 'Compare with' }).click()
    await page.getByRole('option').last().click()
    await page.getByRole('table', { name: 'Documents that differ' }).waitFor()
    await page.getByText(/^\d+ changed/).waitFor()
    await examine()
  })

  step('it removes held-back documents after approval, with their number', async () => {
    await run(world, flow)
    const truth = await world.wiki.control.truth()
    const leaves = truth.pages.filter(
      (each) =>
        each.kind === 'page' &&
        each.status === 'current' &&
        !truth.pages.some((child) => child.parentId === each.id),
    )
    for (const each of leaves) await world.wiki.control.trashPage(each.id)
    const held = await run(world, flow)
    const inIndex = (await contents(world)).length
    await page.goto(`${home}/jobs/${held.id}`)
    await examine()
    await button(`Approve removal of ${leaves.length} documents`).click()
    const dialog = page.getByRole('dialog', { name: `Remove ${leaves.length} documents from the index` })
    await dialog.getByText('The source does not change.').waitFor()
    await browser.audit(page)
    assert.equal((await contents(world)).length, inIndex)
    await dialog.getByRole('button', { name: `Remove ${leaves.length} documents` }).click()
    await page.getByText(`${leaves.length} removed`, { exact: true }).waitFor()
    await dialog.waitFor({ state: 'hidden' })
    await settles(() => button(/^Approve removal/).count(), 0)
    assert.ok((await contents(world)).length < inIndex)
    await examine()
  })

  step('it filters the runs by the address', async () => {
    await page.goto(`${home}/jobs?status=STOPPED`)
    await page.getByText('Stopped', { exact: true }).first().waitFor()
    await until(
      () => page.getByRole('row').count(),
      (rows) => rows === 2,
    )
    await examine()
    await button('Clear filters').click()
    await until(
      () => page.getByRole('row').count(),
      (rows) => rows > 5,
    )
    await page.waitForURL((url) => !url.searchParams.has('status'))
    await page.goto(`${home}/jobs/00000000-0000-0000-0000-000000000000`)
    await heading('Not found')
  })

  step('it shows figures, days and last runs on the overview', async () => {
    await page.goto(home)
    await page.getByText('Documents in the index').waitFor()
    await page.getByRole('img', { name: /^Documents processed in the last two weeks/ }).waitFor()
    await page
      .getByRole('link', { name: /^Run of flow/ })
      .first()
      .waitFor()
    await examine()
  })

  step('it lets a viewer only read and says why', async () => {
    const ended = await run(world, flow)
    await world.wiki.control.setBinaryBody(failedId)
    const failing = await run(world, flow)
    assert.equal(ended.details.counts.failed, 0)
    const others = await browser.page()
    await signIn(others, world.millrace.url ?? '', await addViewer(world, 'bo@acme.example'))
    await others.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
    await others.goto(`${home}/jobs/${failing.id}`)
    const retry = others.getByRole('button', { name: 'Retry 1 failed document' })
    await retry.waitFor()
    assert.equal(await retry.isDisabled(), true)
    await others.getByRole('note', { name: /Your role here is Viewer/ }).waitFor()
    await browser.audit(others)
    await others.goto(`${home}/search`)
    await others.getByText('only documents that you may read').waitFor()
    await browser.audit(others)
  })
})
