import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, type WorldBrowser } from '../world/browser.ts'
import { finders } from '../world/finders.ts'
import { finish } from '../world/flow.ts'
import { ada, homeOf, signIn } from '../world/page.ts'
import { steps } from '../world/steps.ts'
import type { World } from '../world/world.ts'
import { NOTES_TOKEN, openToyWorld, type ToyWorld } from './toys/world.ts'

/** No file of the web page names the toys. */
describe('the web page with the toys', () => {
  let world: ToyWorld
  let browser: WorldBrowser
  let page: Page
  let home: string
  before(async () => {
    const env = { MILLRACE_SETUP_EMAIL: ada.email, MILLRACE_SETUP_PASSWORD: ada.password }
    world = await openToyWorld({ env })
    browser = await openBrowser(world.millrace.url ?? '')
    page = await browser.page()
    await signIn(page, world.millrace.url ?? '', ada)
    home = await homeOf(page)
  })
  after(async () => {
    await browser?.close()
    await world?.[Symbol.asyncDispose]()
  })

  const step = steps()
  const { heading, button, field, showsText, choose, showsNotice } = finders(() => page)
  const list = (name: string) => page.getByRole('combobox', { name })
  const card = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}.*Settings`) })
  const examine = () => browser.examine(page)

  step('it offers the toy source with its title and description', async () => {
    await page.goto(`${home}/connectors/source/new`)
    await showsText('Notes of a JSON file, with the readers of each notebook and note.')
    await examine()
    await page.getByRole('link', { name: 'Notes', exact: true }).click()
    await heading('New source: Notes')
    const documentation = page.getByRole('link', { name: 'Documentation' })
    assert.equal(await documentation.getAttribute('href'), '/help/connector-contract')
  })

  step('it shows a form of the fields, with the noun for scopes', async () => {
    assert.equal(await field('Name').getAttribute('placeholder'), 'Team notes file')
    assert.equal(await page.getByRole('radio').count(), 0, 'there is one way to sign in')
    await field('Name').fill('Team notes')
    await button('Save and test').click()
    await showsText('File of notes is required.')
    await field('File of notes').fill(world.source.path)
    await field('Token').fill(NOTES_TOKEN)
    await button('Show the notebooks').click()
    await showsText('The account can see 2 notebooks.')
    await list('Notebooks').click()
    await page.getByRole('option', { name: /^The mill/ }).click()
    await page.keyboard.press('Escape')
    await examine()
  })

  step('it creates and checks the source', async () => {
    // The notice stays for six seconds.
    await Promise.all([showsNotice('Team notes created.'), button('Save and test').click()])
    await heading('Team notes')
    await showsText('The connection works.')
    await showsText(`${world.source.path} can be read`)
    await examine()
  })

  step('it creates and checks the destination, and offers only its capabilities', async () => {
    await page.goto(`${home}/connectors/destination/new`)
    await showsText('A JSON file of elements that can be searched.')
    await page.getByRole('link', { name: 'Shelf', exact: true }).click()
    await field('Name').fill('Team shelf')
    await field('File of elements').fill(world.destination.path)
    await button('Save and test').click()
    await heading('Team shelf')
    await showsText('The connection works.')
    await page.getByRole('region', { name: 'Contents of the shelf', exact: true }).waitFor()
    await page.goto(`${home}/connectors?tab=destination`)
    const row = page.getByRole('row', { name: /Team shelf/ })
    await row.getByText('Shelf', { exact: true }).waitFor()
    await row.getByText(world.destination.path).waitFor()
  })

  step('it builds a workflow with them', async () => {
    await page.goto(`${home}/workflows/new/custom`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Notes to shelf')
    await card('Source Not chosen yet').click()
    await choose('Source', 'Team notes')
    await card('Source Team notes · Notes').waitFor()
    await card('Destination Not chosen yet').click()
    await choose('Destination', 'Team shelf')
    await card('Destination Team shelf · Shelf').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('switch', { name: 'Reprocess all documents' }).waitFor()
    assert.equal(
      await page.getByRole('switch', { name: 'Swap the index' }).count(),
      0,
      'shelves have no swap',
    )
    await examine()
    await button('Create workflow').click()
    await page.waitForURL(/\/workflows\/[0-9a-f-]{36}/)
  })

  step('it runs the workflow and shows the job with the nouns of the source', async () => {
    await button('Run Notes to shelf').click()
    await button('Start run').click()
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/)
    const id = /jobs\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? ''
    // Uses only the API of the world.
    const { details } = await finish(world as unknown as World, id)
    assert.deepEqual([details.processing_status, details.counts.new], ['SUCCESS', 2])
    await page.goto(`${home}/jobs/${id}?tab=documents`)
    await choose('Space', 'The mill (mill)')
    await page.waitForURL(/space=mill/)
    await page.getByRole('link', { name: 'Note 1' }).click()
    await page.getByRole('link', { name: 'Open in the notes file' }).waitFor()
    await page.goto(`${home}/jobs/${id}`)
    await page.getByText('Settings of this run').click()
    await page.getByRole('link', { name: 'Team notes' }).waitFor()
    await examine()
  })

  step('it searches the shelf and explains access with the same nouns', async () => {
    await page.goto(`${home}/search?query=wheel&user=ben&space=mill`)
    await showsText(/^(ben|Ben Brook) finds 1 document$/)
    await button(/^Remove the filter Notebook: .*mill/).waitFor()
    await page.getByRole('button', { name: /Found Why\? Note 1$/ }).click()
    await page.getByRole('list', { name: 'Levels from the notebook down to the note' }).waitFor()
    await button('Note 1').click()
    await page.getByRole('tab', { name: 'Copy as' }).click()
    await page.getByRole('tab', { name: 'Python' }).waitFor()
    assert.deepEqual(browser.failures, [])
  })

  step('it compares the shelf with the ledger', async () => {
    await page.goto(`${home}/connectors?tab=destination`)
    await page.getByRole('link', { name: 'Team shelf' }).click()
    await button('Compare').click()
    await showsText(/^The shelf holds exactly what was written: /)
    await page.getByRole('table', { name: 'Notebooks in the shelf' }).getByText('mill').waitFor()
    await examine()
  })
})
