import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { finders } from '../world/finders.ts'
import { finish } from '../world/flow.ts'
import { keyboard } from '../world/keyboard.ts'
import { ada, openPage, type PageWorld } from '../world/page.ts'
import { settles } from '../world/settled.ts'
import { steps } from '../world/steps.ts'
import { observePage, pointerPresses } from '../world/watch.ts'
import { crawler } from '../world/world.ts'

/** From sign-in to search by keyboard: every control is reachable and visible, and the focus is never lost. */
describe('the page by keyboard alone', () => {
  let { world, browser, page, close } = {} as PageWorld
  before(async () => {
    const wiki = { seed: 8, pages: 8, spaces: 1, people: 4, groups: 2 }
    ;({ world, browser, close } = await openPage({ wiki }))
    page = await browser.page()
    await observePage(page)
  })
  after(() => close?.())

  const step = steps()
  const { heading, button, field, showsText, clipboard, copies, dialog } = finders(() => page)
  const { press, to, enter, type, chooseFirst, waitForFocus } = keyboard(() => page)
  const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true }).first()
  const tab = (name: string) => page.getByRole('tab', { name, exact: true })
  const list = (name: string) => page.getByRole('combobox', { name })
  const card = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}.*Settings`) })
  /** The heading of the current screen. */
  const waitForScreen = (name: string) => waitForFocus(page.getByRole('heading', { level: 1, name }))
  const job = () => page.url().split('/').at(-1)?.split('?')[0] ?? ''

  step('it signs in and returns the focus to a wrong field', async () => {
    await page.goto(world.millrace.url ?? '')
    await type(field('E-mail'), ada.email)
    await press('Enter')
    await waitForFocus(field('Password'))
    await page.keyboard.type('wrong in every way')
    await press('Enter')
    await showsText('Wrong e-mail or password.')
    await type(field('Password'), ada.password)
    await press('Enter')
    await waitForScreen('Start')
  })

  step('it creates a source whose test fails and fixes it', async () => {
    await enter(link('Connectors'))
    await waitForScreen('Connectors')
    await enter(link('New source'))
    await heading('New source: Wiki (Confluence)')
    await enter(button('Save and test'))
    await waitForFocus(field('Name'))
    await page.keyboard.type('Team wiki')
    await type(field('Address of the wiki'), world.wiki.siteUrl)
    await to(page.getByRole('radio', { name: 'Data Center', exact: true }))
    await press('ArrowLeft')
    await type(field('User name'), crawler.email)
    await type(field('API token'), 'mistyped')
    await enter(button('Save and test'))
    await waitForScreen('Team wiki')
    await showsText('The connection failed.')
    await enter(button('Replace: API token'))
    await waitForFocus(field('API token'))
    await page.keyboard.type(crawler.apiToken)
    await enter(button('Save and test'))
    await showsText('The connection works')
    await waitForScreen('Team wiki')
  })

  step('it creates a destination from the tabs', async () => {
    await enter(link('Connectors'))
    await waitForScreen('Connectors')
    await to(tab('Sources'))
    await press('ArrowRight')
    await waitForFocus(tab('Destinations'))
    await enter(link('New destination'))
    await waitForScreen('New destination')
    await enter(page.locator('main').getByRole('link').first())
    await type(field('Name'), 'Team search')
    await type(list('Hosts'), world.engine.url)
    await press('Enter')
    await type(field('API key'), world.indexKey)
    await type(field('Index'), world.index)
    await enter(button('Save and test'))
    await waitForScreen('Team search')
    await showsText('The connection works')
  })

  let broken: string
  step('it builds a workflow and runs it', async () => {
    const { pages } = await world.wiki.control.truth()
    broken = pages.find((each) => each.kind === 'page' && each.status === 'current')?.id ?? ''
    await world.wiki.control.setBinaryBody(broken)
    await enter(link('Workflows'))
    await waitForScreen('Workflows')
    await enter(link('New workflow'))
    await waitForScreen('New workflow')
    await enter(link('In the editor'))
    await page.getByRole('list', { name: 'Steps of the workflow' }).waitFor()
    await type(page.getByRole('textbox', { name: 'Name' }), 'Wiki into search')
    for (const name of ['Source', 'Destination']) {
      await enter(card(name))
      await waitForFocus(page.getByRole('heading', { level: 2, name }))
      await chooseFirst(list(name))
    }
    await enter(button('Create workflow'))
    await waitForScreen('Wiki into search')
    await enter(button('Run Wiki into search'))
    await waitForFocus(button('Start run'))
    await press('Enter')
    await page.waitForURL(/\/jobs\//)
    await waitForScreen('Wiki into search')
    assert.equal((await finish(world, job())).details.counts.failed, 1)
  })

  step('it retries failed documents from the job', async () => {
    await world.wiki.control.editPage(broken, { body: '<p>Mended.</p>' })
    await to(tab('Overview'))
    await press('ArrowRight')
    await waitForFocus(tab('Documents'))
    const before = job()
    await enter(button('Retry 1 failed document'))
    await page.waitForURL(() => job() !== before)
    await waitForScreen('Wiki into search')
    await page.getByText('Successful', { exact: true }).waitFor({ timeout: 120_000 })
  })

  step('it removes two steps and adds them again', async () => {
    await enter(link('Workflows'))
    await waitForScreen('Workflows')
    await enter(link('Wiki into search'))
    await waitForScreen('Wiki into search')
    await to(page.getByRole('radio', { name: 'Overview' }))
    await press('ArrowRight')
    await waitForFocus(page.getByRole('radio', { name: 'Steps' }))
    await enter(button('Remove Embedder'))
    await waitForFocus(card('Chunker'))
    await enter(button('Remove Chunker'))
    await waitForFocus(card('Partitioner'))
    for (const [after, added] of [
      ['Partitioner', 'Chunker'],
      ['Chunker', 'Embedder'],
    ] as const) {
      await enter(button(`Add a step after ${after}`))
      const entry = page.getByRole('menuitem', { name: added })
      await page.getByRole('menuitem').and(page.locator(':focus')).waitFor()
      while (!(await entry.evaluate((element) => element.matches(':focus')))) await press('ArrowDown')
      await press('Enter')
      await waitForFocus(page.getByRole('heading', { level: 2, name: added }))
      await press('Escape')
      await waitForFocus(card(added))
    }
    await enter(button('Save'))
    await page.getByText('Wiki into search saved.').first().waitFor()
    await waitForFocus(button('Save'))
    const [stored] = (await world.api.get<{ workflow_nodes: { type: string }[] }[]>('/workflows')).body
    assert.deepEqual(
      stored?.workflow_nodes.map((node) => node.type),
      ['partition', 'chunk', 'embed'],
    )
  })

  step('it moves a step and undoes it', async () => {
    // Only enrichments can be reordered, and without a model only YAML creates two of them.
    await to(page.getByRole('radio', { name: 'Steps' }))
    await press('ArrowRight')
    const area = page.getByRole('textbox', { name: 'Workflow YAML' })
    await to(area)
    const enrichment = (name: string) => `  - name: ${name}\n    type: prompter\n    settings: {}\n`
    const text = (await area.innerText()).replace(
      '  - name: Chunker',
      `${enrichment('Pictures')}${enrichment('Tables')}  - name: Chunker`,
    )
    await press('Control+a')
    await page.keyboard.insertText(text)
    await area.getByText('name: Pictures').waitFor()
    await showsText('Valid.')
    // Tab indents, except in the two seconds after Escape.
    await press('Escape', 'Tab')
    await to(page.getByRole('radio', { name: 'YAML' }))
    await press('ArrowLeft')
    await enter(button('Move Pictures down'))
    await waitForFocus(button('Move Pictures down'))
    const nodes = page.getByRole('list', { name: 'Steps of the workflow' }).getByRole('listitem')
    await settles(
      async () => (await nodes.allInnerTexts()).map((name) => name.split('\n')[0]),
      ['Source', 'Partitioner', 'Tables', 'Pictures', 'Chunker', 'Embedder', 'Destination'],
    )
    await to(button('Undo'))
    while ((await button('Undo').getAttribute('aria-disabled')) === null) await press('Enter')
    await waitForFocus(button('Undo'))
  })

  step('it creates and copies a key and returns the focus', async () => {
    await enter(link('API keys'))
    // Undo went back past the last save.
    await waitForFocus(dialog('Leave without saving').getByRole('button', { name: 'Cancel' }))
    await enter(dialog().getByRole('button', { name: 'Leave' }))
    await waitForScreen('API keys')
    await enter(button('New key'))
    await waitForFocus(dialog().getByLabel('Name'))
    await page.keyboard.type('Nightly import')
    await press('Enter')
    await waitForFocus(dialog().getByLabel('Key', { exact: true }))
    await copies('the key Nightly import', () =>
      enter(dialog().getByRole('button', { name: 'Copy the key Nightly import' })),
    )
    await waitForFocus(dialog().getByRole('button', { name: /^(Copy|Copied) the key Nightly import$/ }))
    assert.match(await clipboard(), /^mlr_/)
    await enter(dialog().getByRole('button', { name: 'Done' }))
    await waitForFocus(button('New key'))
    await enter(button('Delete the key Nightly import'))
    await waitForFocus(dialog().getByRole('button', { name: 'Cancel' }))
    await press('Escape')
    await waitForFocus(button('Delete the key Nightly import'))
  })

  step('it compares two people in the access lab', async () => {
    const { people } = await world.wiki.control.truth()
    await enter(link('Access lab'))
    await waitForScreen('Access lab')
    await type(page.getByLabel('Query'), 'home')
    const box = page.getByRole('combobox', { name: 'People' })
    for (const { accountId } of people.slice(0, 2)) {
      await type(box, accountId)
      await press('Enter')
      await page.waitForURL((url) => url.href.includes(encodeURIComponent(accountId)))
      await waitForFocus(box)
    }
    await page.getByText(/^Only .* finds \d+, .* both \d+\.$/).waitFor()
    await enter(button('Space'))
    await page.getByRole('menu').locator(':focus').waitFor({ state: 'attached' })
    await press('Escape')
    await waitForFocus(button('Space'))
    const result = page.getByRole('region', { name: 'Results' }).getByRole('listitem').first()
    await enter(result.getByRole('button', { name: /(Found|Stopped) Why\?/ }).first())
    await result.getByRole('status').waitFor()
    await enter(result.getByRole('button').first())
    await enter(button('Close the details'))
    await waitForFocus(result.getByRole('button').first())
  })

  step('it opens screens and commands from the palette', async () => {
    const palette = dialog('Go to or do').getByRole('combobox')
    await press('Control+k')
    await waitForFocus(palette)
    await page.keyboard.type('api k')
    await dialog().getByRole('option', { name: 'API keys', selected: true }).waitFor()
    await browser.examine(page)
    await press('Enter')
    await waitForScreen('API keys')
    await press('Control+k')
    await page.keyboard.type('new so')
    await press('Enter')
    await waitForScreen('New source')
    await press('Control+k')
    await waitForFocus(palette)
    await press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await press('Shift+?')
    await dialog('Keyboard shortcuts').waitFor()
    await browser.examine(page)
    await press('Escape')
  })

  step('it opens and closes the menus without a pointer', async () => {
    await enter(button('Account of ada'))
    await page.getByRole('menuitem').and(page.locator(':focus')).waitFor()
    await press('Escape')
    await waitForFocus(button('Account of ada'))
    assert.equal(await pointerPresses(page), 0)
  })
})
