import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe } from 'node:test'
import { promisify } from 'node:util'
import type { Locator } from 'playwright-core'
import { contents } from '../world/agreement.ts'
import { finders } from '../world/finders.ts'
import { type Flow, makeFlow, PLAIN_NODES, run } from '../world/flow.ts'
import { createIndex } from '../world/index-destination.ts'
import { addViewer, openPage, type PageWorld, signIn } from '../world/page.ts'
import { INDEX_PRIVILEGES } from '../world/search-engine/attach.ts'
import { TEST_KEY } from '../world/service.ts'
import { holds, settles } from '../world/settled.ts'
import { steps } from '../world/steps.ts'
import type { World } from '../world/world.ts'

const all = 'b0000000-0000-4000-8000-00000000000a'
const few = 'b0000000-0000-4000-8000-00000000000b'
const ann = '557058:b1111111-1111-4111-8111-111111111111'
const ben = '557058:b2222222-2222-4222-8222-222222222222'
/** More than one page of results. */
const HERD = 21

/** People ask the same question; the page shows who finds what, and the rule that stops the others. */
describe('the access lab', () => {
  let { world, browser, page, home, close } = {} as PageWorld
  let hidden: string
  let flow: Flow
  before(async () => {
    const wiki = { seed: 11, pages: 4, spaces: 1, people: 4, groups: 2 }
    ;({ world, browser, page, home, close } = await openPage({ wiki }))
    ;({ hidden, flow } = await createPages(world))
  })
  after(() => close?.())

  const step = steps()
  const { button, showsText, heading, copy, clipboard, focused } = finders(() => page)
  const examine = () => browser.examine(page)
  const people = () => page.getByRole('combobox', { name: 'People' })
  const results = () => page.getByRole('region', { name: 'Results', exact: true })
  const row = (title: string): Locator =>
    results()
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: title, exact: true }) })
  const pane = () => page.getByRole('complementary', { name: 'Below the few' })
  const tab = (name: string) => pane().getByRole('tab', { name, exact: true })
  const onlyDifferences = () => page.getByRole('switch', { name: 'Only differences' })

  async function search(query: string): Promise<void> {
    await page.getByLabel('Query').fill(query)
    await page.keyboard.press('Enter')
  }

  step('it requires a query', async () => {
    await page.goto(`${home}/search`)
    await heading('Access lab')
    await showsText('The audit log records every search and check')
    await button('Search').click()
    await showsText('Enter a query')
    await settles(focused, 'query')
    await button('Check one document').press('Enter')
    await settles(focused, 'document')
    await examine()
  })

  step('it adds people by name and by account id, with the keyboard', async () => {
    const failure = {
      status: 502,
      json: { detail: 'The wiki does not respond.', code: 'source_unreachable' },
    }
    await page.route('**/people?query=An*', (route) => route.fulfill(failure))
    await people().focus()
    await people().pressSequentially('Ann')
    await showsText('The wiki does not respond.')
    await page.unroute('**/people?query=An*')
    await button('Try again').click()
    await page.getByRole('option', { name: /^Ann/ }).waitFor()
    await page.keyboard.press('Enter')
    await button('Remove Ann').waitFor()
    await people().pressSequentially(ben)
    await page.getByRole('option', { name: /^Ben/ }).waitFor()
    await page.keyboard.press('Enter')
    await button('Remove Ben').waitFor()
    await people().press('Backspace')
    await button('Remove Ben').waitFor({ state: 'detached' })
    await people().fill('Ben')
    await page.getByRole('option', { name: /^Ben/ }).click()
    await button('Remove Ben').waitFor()
  })

  step('it counts what one person alone finds, and shows it first', async () => {
    await search('zebra')
    await showsText(`Only Ann finds 2, only Ben 0, both ${HERD + 1}.`)
    const stopped = results().getByRole('button', { name: /^Ben Stopped/ })
    assert.equal(await stopped.count(), 2)
    const first = await results().getByRole('listitem').first().boundingBox()
    assert.ok(
      first && first.y + first.height < 800,
      `the first result ends at ${first?.y} + ${first?.height}`,
    )
    await row('Below the few').getByText('Zebras (ZEB)').waitFor()
    await results().locator('mark', { hasText: 'zebra' }).first().waitFor()
    await button('Show more').press('Enter')
    await settles(() => results().locator('ol > li').count(), HERD + 3)
    await holds(async () =>
      assert.match(await page.evaluate<string>('document.activeElement.id'), /^result-/),
    )
    // Text of a page is never treated as markup.
    await results().getByText('<img src=x onerror=alert(1)>').waitFor()
    assert.equal(await page.locator('img[src=x]').count(), 0)
    await examine()
    await onlyDifferences().press('Space')
    await page.waitForURL(/differences=true/)
    const found = results().getByRole('button', { name: /^Ann Found/ })
    await settles(() => found.count(), 2)
  })

  step('it proves in words what stops a person', async () => {
    await row('Below the few')
      .getByRole('button', { name: /^Ben Stopped/ })
      .press('Enter')
    const proof = row('Below the few').getByRole('status')
    await proof.waitFor()
    await holds(async () =>
      assert.match(
        await proof.innerText(),
        /^Stopped by the restriction of Zebras for few: only group the few\. Checked just now\./,
      ),
    )
    const levels = proof.getByRole('list', { name: 'Levels from the space down to the page' })
    await settles(
      () => levels.getByRole('listitem').allInnerTexts(),
      [
        'Space Zebras lets Ben in through group all of us',
        'Parent page Zebras Home is not restricted',
        'Page Below the few is not restricted',
      ],
    )
    await proof.getByRole('button', { name: 'the few, show the id' }).press('Enter')
    await Promise.all([
      button('Copied the id of the few').waitFor(),
      button('Copy the id of the few').press('Enter'),
    ])
    assert.equal(await clipboard(), few)
    await page.keyboard.press('Escape')
    await examine()
    await row('Below the few')
      .getByRole('button', { name: /^Ann Found/ })
      .click()
    await showsText(/^Ann may read it: every level lets them in\./)
    await page.setViewportSize({ width: 360, height: 740 })
    await row('Below the few')
      .getByRole('button', { name: /^Ben Stopped/ })
      .waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  step('it shows the passages, the document and who can read it', async () => {
    await button('Below the few').click()
    await pane().locator('mark', { hasText: 'zebra' }).first().waitFor()
    await examine()
    await pane().getByText('Whole document', { exact: true }).click()
    await pane().getByText('Another hidden zebra below.').first().waitFor()
    await tab('Access').click()
    await pane().getByRole('heading', { name: 'Who can read this?' }).waitFor()
    const access = pane().getByRole('tabpanel')
    await access.getByRole('button', { name: 'Ann, show the id' }).waitFor()
    await holds(async () =>
      assert.match(await access.innerText(), /Ann through .*group the few of parent page Zebras for few/),
    )
    assert.equal(await access.getByText('Ben').count(), 0)
    await examine()
  })

  step('it copies the search as commands that run', async () => {
    await tab('Copy as').click()
    const expected = await recordIdsFor(ann)
    const curl = await copied('cURL')
    assert.doesNotMatch(curl, new RegExp(TEST_KEY))
    const { hits } = await runCommand<{ hits: { record_id: string }[] }>(curl, { MILLRACE_API_KEY: TEST_KEY })
    assert.deepEqual(idsOf(hits), expected)
    await examine()
    const native = await copied('Elasticsearch')
    assert.doesNotMatch(native, new RegExp(world.indexKey))
    const found = await runCommand<{ hits: { hits: { _source: { record_id: string } }[] } }>(native, {
      ELASTICSEARCH_URL: world.engine.url,
      ELASTICSEARCH_AUTHORIZATION: `ApiKey ${world.indexKey}`,
    })
    for (const id of expected)
      assert.ok(idsOf(found.hits.hits.map(({ _source }) => _source)).includes(id), id)
    for (const language of ['TypeScript', 'Python']) assert.match(await copied(language), /MILLRACE_API_KEY/)
    await button('Close the details').press('Enter')
    await pane().waitFor({ state: 'detached' })
    await holds(async () =>
      assert.match(await page.evaluate<string>('document.activeElement.textContent'), /^Below the few/),
    )
  })

  step('it keeps the search in its address and narrows it by facets', async () => {
    const address = page.url()
    await page.goto(`${home}/search`)
    await page.goto(address)
    await row('Below the few').waitFor()
    await button('Remove Ben').waitFor()
    await settles(() => page.getByLabel('Query').inputValue(), 'zebra')
    await onlyDifferences().press('Space')
    const isOff = page.getByRole('switch', { name: 'Only differences', checked: false })
    await isOff.waitFor({ state: 'attached' })
    await button('Space').press('Enter')
    await page.getByRole('menuitem', { name: / \(PUB\) 1 document$/ }).press('Enter')
    await page.waitForURL(/space=PUB/)
    await showsText('Only Ann finds 0, only Ben 0, both 1.')
    await button('Author').click()
    await page
      .getByRole('menuitem', { name: / documents?$/ })
      .first()
      .waitFor()
    await page.getByRole('menu').locator(':focus').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await examine()
    await button(/^Remove the filter Space: .*PUB/).press('Enter')
    await page.waitForURL((url) => !url.search.includes('space'))
    await showsText(/^Only Ann finds 2, only Ben 0,/)
  })

  step('it checks one document by its address or title', async () => {
    const field = page.getByLabel('Title, address or record id of the document')
    await field.fill(`${world.wiki.siteUrl}/wiki/spaces/ZEB/pages/${hidden}`)
    await button('Check').click()
    await showsText(/^Stopped by the restriction of Zebras for few: only group the few\./)
    await showsText(/^Ann may read it/)
    await examine()
    await field.fill('zebras for')
    await button('Check').click()
    await showsText('2 documents with this title. Choose one:')
    const choices = page.getByRole('list', { name: 'Documents with this title' })
    await choices.getByRole('button', { name: 'Zebras for few' }).click()
    await page.waitForURL(/explain=[^&]*\d/)
    await field.fill('below the few')
    await button('Check').click()
    await page.waitForURL(new RegExp(`explain=[^&]*${hidden}`))
    await field.fill('wiki.example/1')
    await button('Check').click()
    await showsText('This destination has never received this document.')
    await field.fill('https://wiki.example/wiki/home')
    await button('Check').click()
    await showsText('This address contains no document id')
  })

  step('it searches as a member of groups and says that no one finds anything', async () => {
    await page.goto(`${home}/search?query=zebra`)
    await showsText('You find 1 document')
    await button('Advanced').click()
    await page.getByLabel('Groups').fill(`${all}, nobodies`)
    await button('Add as a person').click()
    await showsText(`Member of 2 groups finds ${HERD + 1} documents`)
    await search('quagga')
    await showsText('Member of 2 groups does not find “quagga”.')
  })

  step('it lets a reader search as themselves', async () => {
    const rita = await addViewer(world, 'rita@acme.example', 'reader')
    const own = await browser.page()
    await signIn(own, world.millrace.url ?? '', rita)
    await own.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await own.goto(`${home}/search?user=${ann}`)
    await own.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await own.getByText('No account of a source is linked to you').waitFor()
    assert.equal(await own.getByRole('combobox', { name: 'People' }).count(), 0)
    await own.getByLabel('Query').fill('zebra')
    await own.keyboard.press('Enter')
    await own.getByText('You find 1 document').waitFor()
    await own.getByRole('button', { name: /^You Found/ }).click()
    await own.getByText('You may read it: every level lets you in.').waitFor()
    await browser.examine(own)
    await own.getByRole('button', { name: 'Zebras in public', exact: true }).click()
    await own.getByText('Whole document', { exact: true }).click()
    assert.equal(await own.getByRole('tab', { name: 'Access' }).count(), 0)
    await own.getByRole('tabpanel').getByText('A zebra for every visitor').waitFor()
    await own.close()
  })

  step('it logs every search in the audit log', async () => {
    await holds(async () => {
      const actions = new Set(
        await page.evaluate<string[]>(
          `fetch('/api/v1/audit', { headers: { 'x-workspace': location.pathname.split('/')[2] } })
            .then((response) => response.json()).then(({ items }) => items.map(({ action }) => action))`,
        ),
      )
      for (const action of ['search_as', 'explain_as', 'search']) assert.ok(actions.has(action), action)
    })
  })

  async function copied(language: string): Promise<string> {
    await tab(language).click()
    return copy(`the search as ${language}`)
  }

  async function recordIdsFor(user: string): Promise<string[]> {
    const { body } = await world.api.post<{ hits: { record_id: string }[] }>(
      `/destinations/${flow.destinationId}/search`,
      { query: 'zebra', as: { user }, size: 10 },
    )
    return idsOf(body.hits)
  }

  step('it verifies an index and repairs differences', async () => {
    await page.goto(`${home}/connectors/destination/${flow.destinationId}`)
    const panel = page.getByRole('region', { name: 'Contents of the index', exact: true })
    await panel.getByRole('button', { name: 'Compare' }).click()
    await panel.getByText('The index holds exactly what was written').waitFor()
    assert.equal(await panel.getByRole('button', { name: 'Repair' }).count(), 0)

    const gone = (await contents(world)).find(({ _source }) => _source.text.includes('grazes'))
    await admin(`_doc/${gone?._id}?refresh=true`, 'DELETE')
    const stray = { record_id: 'stray', element_id: 'stray', text: 'x' }
    await admin('_doc/stray?refresh=true', 'PUT', stray)
    await panel.getByRole('button', { name: 'Compare' }).click()
    await panel.getByText('The index differs: 1 element missing or changed, 0 unexpected.').waitFor()
    await panel.getByText('It also holds 1 element from other programs').waitFor()
    await panel.getByRole('table', { name: 'Documents that differ' }).getByText('Missing').waitFor()
    await examine()
    await panel.getByRole('button', { name: 'Repair' }).click()
    const dialog = page.getByRole('dialog', { name: 'Repair the index' })
    await dialog.getByText('writes the documents of 1 missing or changed element again').waitFor()
    await examine()
    await dialog.getByRole('button', { name: 'Repair' }).click()
    await page.getByRole('link', { name: 'Open the run' }).click()
    await page.locator('h1 ~ span', { hasText: 'Successful' }).waitFor({ timeout: 120_000 })
    await page.goBack()
    await panel.getByRole('button', { name: 'Compare' }).click()
    await panel.getByText('The index holds exactly what was written').waitFor()
  })

  step('it shows the progress of a long comparison and stops it', async () => {
    const progress = { waits_for: null, documents_compared: 1200, documents_total: 5000 }
    const more = { elements_listed: 70_000, removed_elements: 0 }
    const shown = { status: 'IN_PROGRESS', message: '', phase: 'ledger' }
    const polls = '**/api/v1/destinations/*/verify/*'
    await page.route(polls, async (route) => {
      const real = (await (await route.fetch()).json()) as object
      const { phase, ...rest } = shown
      const json = { ...real, ...rest, result: null, progress: { ...progress, ...more, phase } }
      await route.fulfill({ json })
    })
    const panel = page.getByRole('region', { name: 'Contents of the index', exact: true })
    await panel.getByRole('button', { name: 'Compare' }).click()
    await panel.getByText('1,200 of 5,000 documents compared.').waitFor()
    await examine()
    shown.phase = 'index'
    await panel.getByText('Looking for unexpected elements: 70,000 read.').waitFor()
    // The button is there only while the comparison runs.
    await panel.getByRole('button', { name: 'Stop' }).click()
    Object.assign(shown, { status: 'STOPPED', message: 'Stopped by request.' })
    await panel.getByText('Stopped by request.').waitFor()
    await page.unroute(polls)
  })

  step('it lists an index that a swap replaced and deletes it', async () => {
    const alias = `${world.index}-alias`
    await createIndex(world.engine, `${alias}-first`, { aliases: { [alias]: { is_write_index: true } } })
    const { encoded } = await world.engine.createApiKey({
      indices: [{ names: [alias, `${alias}-*`], privileges: INDEX_PRIVILEGES }],
    })
    const swapping = await makeFlow(world, {
      suffix: ' swapping',
      destination: { hosts: [world.engine.url], index_name: alias, search_api_key: encoded },
      workflow: { swap_index: true },
    })
    await run(world, swapping)
    const [partition] = PLAIN_NODES
    await world.api.put(`/workflows/${swapping.workflowId}`, { workflow_nodes: [partition] })
    assert.equal((await run(world, swapping)).details.processing_status, 'SUCCESS')
    await page.goto(`${home}/connectors/destination/${swapping.destinationId}`)
    const panel = page.getByRole('region', { name: 'Replaced indexes', exact: true })
    await panel.getByRole('cell', { name: `${alias}-first`, exact: true }).waitFor()
    await examine()
    await panel.getByRole('button', { name: `Delete the index ${alias}-first` }).click()
    const dialog = page.getByRole('dialog', { name: `Delete the index ${alias}-first` })
    await dialog.getByRole('button', { name: 'Delete index' }).click()
    await panel.waitFor({ state: 'detached' })
    assert.equal((await world.engine.adminFetch(`/${alias}-first`)).status, 404)
    const names = Object.keys((await (await world.engine.adminFetch(`/_alias/${alias}`)).json()) as object)
    for (const name of names) await world.engine.adminFetch(`/${name}`, { method: 'DELETE' })
  })

  async function admin(path: string, method: string, body?: object): Promise<void> {
    const answer = await world.engine.adminFetch(`/${world.index}/${path}`, {
      method,
      ...(body ? { body } : {}),
    })
    assert.ok(answer.ok, await answer.text())
  }
})

const execute = promisify(execFile)

/** Runs a copied command in a shell. */
async function runCommand<T>(command: string, env: Record<string, string>): Promise<T> {
  const { stdout } = await execute('/bin/sh', ['-c', command], { env: { PATH: process.env.PATH, ...env } })
  return JSON.parse(stdout) as T
}

function idsOf(hits: { record_id: string }[]): string[] {
  return [...new Set(hits.map(({ record_id: id }) => id))].sort()
}

/** Zebras for all, zebras for few, and a page below those. Returns the id of the last. */
async function createPages(world: World): Promise<{ hidden: string; flow: Flow }> {
  const { control } = world.wiki
  for (const [accountId, name] of [
    [ann, 'Ann'],
    [ben, 'Ben'],
  ] as const)
    await control.addPerson({ accountId, name })
  await control.addGroup({ id: all, name: 'all of us', members: [ann, ben] })
  await control.addGroup({ id: few, name: 'the few', members: [ann] })
  const read = { key: 'read', targetType: 'space' } as const
  await control.addSpace({
    key: 'ZEB',
    name: 'Zebras',
    permissions: [{ principal: { type: 'group', id: all }, operation: read }],
  })
  await control.createPage({
    space: 'ZEB',
    title: 'Zebras for all',
    body: '<p>The striped zebra grazes near &lt;img src=x onerror=alert(1)&gt; on the plain.</p>',
  })
  for (let each = 1; each <= HERD - 1; each++)
    await control.createPage({ space: 'ZEB', title: `Zebra ${each}`, body: '<p>Zebra zebra.</p>' })
  // Long, so that the others rank first.
  const tree = await control.createPage({
    space: 'ZEB',
    title: 'Zebras for few',
    body: `<p>The hidden zebra sleeps in the cave ${'far away from the river '.repeat(9)}.</p>`,
  })
  await control.restrict(tree, { read: { groups: [few] } })
  const below = await control.createPage({
    space: 'ZEB',
    parentId: tree,
    title: 'Below the few',
    body: '<p>Another hidden zebra below.</p>',
  })
  const anyone = { type: 'access-class', id: 'anonymous-users' } as const
  const everyone = [{ principal: anyone, operation: read }]
  await control.addSpace({ key: 'PUB', name: 'Public', permissions: everyone })
  await control.createPage({
    space: 'PUB',
    title: 'Zebras in public',
    body: '<p>A zebra for every visitor.</p>',
  })
  const flow = await makeFlow(world)
  assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
  await world.destination.refresh()
  return { hidden: below, flow }
}
