import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { Locator } from 'playwright-core'
import { finders } from '../world/finders.ts'
import { finish } from '../world/flow.ts'
import { keyboard } from '../world/keyboard.ts'
import { ada, openPage, type PageWorld } from '../world/page.ts'
import { steps } from '../world/steps.ts'
import { presses, watch } from '../world/watch.ts'
import { crawler } from '../world/world.ts'

/** From sign-in to search by keyboard: every control is reachable and visible, and the focus is never lost. */
describe('the page by keyboard alone', () => {
  let { world, browser, page, close } = {} as PageWorld
  before(async () => {
    const wiki = { seed: 8, pages: 8, spaces: 1, people: 4, groups: 2 }
    ;({ world, browser, close } = await openPage({ wiki }))
    page = await browser.page()
    await watch(page)
  })
  after(() => close?.())

  const step = steps()
  const { heading, button, field, said, clipboard, dialog } = finders(() => page)
  const { press, to, enter, type, chooseFirst, finds } = keyboard(() => page)
  const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true }).first()
  const tab = (name: string) => page.getByRole('tab', { name, exact: true })
  const list = (name: string) => page.getByRole('combobox', { name })
  const card = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}.*Settings`) })
  /** The heading of the current screen. */
  const arrives = (name: string) => finds(page.getByRole('heading', { level: 1, name }))
  const job = () => page.url().split('/').at(-1)?.split('?')[0] ?? ''

  step('it signs in and returns the focus to a wrong field', async () => {
    await page.goto(world.millrace.url ?? '')
    await type(field('E-mail'), ada.email)
    await press('Enter')
    await finds(field('Password'))
    await page.keyboard.type('wrong in every way')
    await press('Enter')
    await said('Wrong e-mail or password.')
    await type(field('Password'), ada.password)
    await press('Enter')
    await arrives('Start')
  })

  step('it creates a source whose test fails and fixes it', async () => {
    await enter(link('Connectors'))
    await arrives('Connectors')
    await enter(link('New source'))
    await arrives('New source')
    await enter(page.getByRole('link', { name: /Wiki \(Confluence\)/ }))
    await heading('New source: Wiki (Confluence)')
    await enter(button('Save and Test'))
    await finds(field('Name'))
    await page.keyboard.type('Team wiki')
    await type(field('Address of the wiki'), world.wiki.siteUrl)
    await type(field('User name'), crawler.email)
    await type(field('API token'), 'mistyped')
    await to(page.getByRole('switch', { name: 'Cloud' }))
    await press('Space')
    await enter(button('Save and Test'))
    await arrives('Team wiki')
    await said('The connection failed.')
    await enter(button('Replace: API token'))
    await finds(field('API token'))
    await page.keyboard.type(crawler.apiToken)
    await enter(button('Save and Test'))
    await said('The connection works')
    await arrives('Team wiki')
  })

  step('it creates a destination from the tabs', async () => {
    await enter(link('Connectors'))
    await arrives('Connectors')
    await to(tab('Sources'))
    await press('ArrowRight')
    await finds(tab('Destinations'))
    await enter(link('New destination'))
    await arrives('New destination')
    await enter(page.locator('main').getByRole('link').first())
    await type(field('Name'), 'Team search')
    await type(list('Hosts'), world.engine.url)
    await press('Enter')
    await type(field('API key'), world.indexKey)
    await type(field('Index'), world.index)
    await enter(button('Save and Test'))
    await arrives('Team search')
    await said('The connection works')
  })

  let broken: string
  step('it builds a workflow and runs it', async () => {
    const { pages } = await world.wiki.control.truth()
    broken = pages.find((each) => each.kind === 'page' && each.status === 'current')?.id ?? ''
    await world.wiki.control.setBinaryBody(broken)
    await enter(link('Workflows'))
    await arrives('Workflows')
    await enter(link('New workflow'))
    await arrives('New workflow')
    await enter(page.getByRole('link', { name: /Build it for me/ }))
    await arrives('Build it for me')
    await type(page.getByRole('textbox', { name: 'Name' }), 'Wiki into search')
    await chooseFirst(list('Source'))
    await chooseFirst(list('Destination'))
    await enter(button('Create workflow'))
    await arrives('Wiki into search')
    assert.equal((await finish(world, job())).details.counts.failed, 1)
  })

  step('it retries failed documents from the job', async () => {
    await world.wiki.control.editPage(broken, { body: '<p>Mended.</p>' })
    await to(tab('Overview'))
    await press('ArrowRight')
    await finds(tab('Documents'))
    const before = job()
    await enter(button('Retry 1 failed document'))
    await page.waitForURL(() => job() !== before)
    await arrives('Wiki into search')
    await page.getByText('Successful', { exact: true }).waitFor()
  })

  step('it removes two steps from the list and adds them again', async () => {
    await enter(link('Workflows'))
    await enter(link('Wiki into search'))
    await arrives('Wiki into search')
    await to(page.getByRole('radio', { name: 'Canvas' }))
    await press('ArrowRight')
    await finds(page.getByRole('radio', { name: 'List' }))
    await enter(button('Remove Embedder'))
    await finds(card('Chunker'))
    await enter(button('Remove Chunker'))
    await finds(card('Partitioner'))
    for (const [after, added] of [
      ['Partitioner', 'Chunker'],
      ['Chunker', 'Embedder'],
    ] as const) {
      await enter(button(`Add a node after ${after}`))
      const entry = page.getByRole('menuitem', { name: added })
      await page.getByRole('menuitem').and(page.locator(':focus')).waitFor()
      while (!(await entry.evaluate((element) => element.matches(':focus')))) await press('ArrowDown')
      await press('Enter')
      await finds(page.getByRole('heading', { level: 2, name: added }))
      await press('Escape')
      await finds(card(added))
    }
    await enter(button('Save'))
    await page.getByText('Wiki into search saved.').first().waitFor()
    await finds(button('Save'))
    const [stored] = (await world.api.get<{ workflow_nodes: { type: string }[] }[]>('/workflows')).body
    assert.deepEqual(
      stored?.workflow_nodes.map((node) => node.type),
      ['partition', 'chunk', 'embed'],
    )
  })

  step('it moves a step and undoes it', async () => {
    // Only enrichments can be reordered, and without a model only YAML creates two of them.
    await to(page.getByRole('radio', { name: 'List' }))
    await press('ArrowRight')
    const area = page.getByRole('textbox', { name: 'Workflow YAML' })
    await to(area)
    const enrichment = (name: string) => `  - name: ${name}\n    type: prompter\n    settings: {}\n`
    const text = (await area.inputValue()).replace(
      '  - name: Chunker',
      `${enrichment('Pictures')}${enrichment('Tables')}  - name: Chunker`,
    )
    await press('Control+a')
    await page.keyboard.insertText(text)
    await said('Valid.')
    await to(page.getByRole('radio', { name: 'YAML' }))
    await press('ArrowLeft')
    await enter(button('Move Pictures down'))
    await finds(button('Move Pictures down'))
    const names = await page
      .getByRole('list', { name: 'Nodes of the workflow' })
      .getByRole('listitem')
      .allInnerTexts()
    assert.deepEqual(
      names.map((name) => name.split('\n')[0]),
      ['Source', 'Partitioner', 'Tables', 'Pictures', 'Chunker', 'Embedder', 'Destination'],
    )
    await to(button('Undo'))
    while ((await button('Undo').getAttribute('aria-disabled')) === null) await press('Enter')
    await finds(button('Undo'))
  })

  step('it generates and copies a key and returns the focus', async () => {
    await enter(link('API keys'))
    // Undo went back past the last save.
    await finds(dialog('Leave without saving').getByRole('button', { name: 'Cancel' }))
    await enter(dialog().getByRole('button', { name: 'Leave' }))
    await arrives('API keys')
    await enter(button('Generate new key'))
    await finds(dialog().getByLabel('Name'))
    await page.keyboard.type('Nightly import')
    await press('Enter')
    await finds(dialog().getByLabel('Key', { exact: true }))
    await enter(dialog().getByRole('button', { name: 'Copy the key Nightly import' }))
    await finds(dialog().getByRole('button', { name: 'Copied the key Nightly import' }))
    assert.match(await clipboard(), /^mlr_/)
    await enter(dialog().getByRole('button', { name: 'Done' }))
    await finds(button('Generate new key'))
    await enter(button('Delete the key Nightly import'))
    await finds(dialog().getByRole('button', { name: 'Cancel' }))
    await press('Escape')
    await finds(button('Delete the key Nightly import'))
  })

  const person = (within: Pick<Locator, 'getByRole'>) => within.getByRole('combobox', { name: 'account id' })

  step('it searches as one person and as two', async () => {
    const { people } = await world.wiki.control.truth()
    await enter(link('Search'))
    await arrives('Search')
    await type(page.getByLabel('Query'), 'home')
    await type(person(page), people[0]?.accountId ?? '')
    await press('Enter')
    await page.getByRole('region', { name: /^Results for / }).waitFor()
    await finds(person(page))
    await to(page.getByLabel('Compare two people'))
    await press('Space')
    await type(person(page.getByRole('group', { name: 'Second person' })), people[1]?.accountId ?? '')
    await enter(button('Search'))
    await page
      .getByRole('region', { name: /^Results for / })
      .nth(1)
      .waitFor()
    await finds(button('Search'))
  })

  step('it opens and closes the menus without a pointer', async () => {
    await enter(button('Account of ada'))
    await page.getByRole('menuitem').and(page.locator(':focus')).waitFor()
    await press('Escape')
    await finds(button('Account of ada'))
    assert.equal(await presses(page), 0)
  })
})
