import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe } from 'node:test'
import { finders } from '../world/finders.ts'
import { finish } from '../world/flow.ts'
import { openPage, type PageWorld } from '../world/page.ts'
import { steps } from '../world/steps.ts'
import { indexConfig, wikiConfig } from '../world/world.ts'

type Workflow = { id: string; name: string; status: string; workflow_nodes: Node[] }
type Node = { type: string; subtype: string; settings: Record<string, unknown> }

/**
 * A workflow in four answers, then each step: drawn, listed, edited as YAML, previewed, paused, copied and deleted.
 */
describe('the page of workflows', () => {
  let { world, browser, page, home, close } = {} as PageWorld
  before(async () => {
    const wiki = { seed: 6, pages: 8, spaces: 1, people: 4, groups: 2 }
    ;({ world, browser, page, home, close } = await openPage({ wiki }))
    await world.api.post('/sources', { name: 'Team wiki', type: 'wiki', config: wikiConfig(world) })
    await world.api.post('/destinations', {
      name: 'Team search',
      type: 'searchindex',
      config: indexConfig(world),
    })
  })
  after(() => close?.())

  const step = steps()
  const { heading, button, said, choose, menu: menuOf } = finders(() => page)
  const menu = (item: string) => menuOf('Wiki into search', item)
  const examine = () => browser.examine(page)
  const pane = (name: string) => page.getByRole('heading', { level: 2, name, exact: true }).waitFor()
  const card = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}.*Settings`) })
  const view = (name: string) => page.locator('label', { hasText: new RegExp(`^${name}$`) }).click()
  const stored = async () => (await world.api.get<Workflow[]>('/workflows')).body[0]!

  step('it creates a workflow in four answers, runs it and opens its job', async () => {
    await page.goto(`${home}/workflows`)
    await said('No workflows yet')
    await examine()
    await page.getByRole('link', { name: 'New workflow' }).first().click()
    await said('Build it myself')
    await examine()
    await page.getByRole('link', { name: /Build it for me/ }).click()
    await button('Create workflow').click()
    await said('Choose a source.')
    await examine()
    await page.getByRole('textbox', { name: 'Name' }).fill('Wiki into search')
    await choose('Source', 'Team wiki')
    await choose('Destination', 'Team search')
    await choose('Schedule', 'Daily')
    await said(/^Next run: /)
    await button('Create workflow').click()
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/)
    const job = await finish(world, page.url().split('/').at(-1)?.split('?')[0] ?? '')
    assert.equal(job.details.processing_status, 'SUCCESS')
  })

  step('it lists a workflow with schedule, next run and last runs', async () => {
    await page.goto(`${home}/workflows`)
    const row = page.getByRole('row', { name: /Wiki into search/ })
    await row.getByText('Team wiki → Team search').waitFor()
    await row.getByText('At 00:00 (UTC)').waitFor()
    await row.getByText(/^Next run: /).waitFor()
    await row.getByRole('img', { name: 'The last run: 1 successful' }).waitFor()
    await examine()
  })

  step('it does not run a paused workflow and says why', async () => {
    const active = page.getByRole('switch', { name: 'Wiki into search active' })
    await active.click({ force: true })
    await button('Run Wiki into search. This workflow is paused.').waitFor()
    assert.equal((await stored()).status, 'inactive')
    await active.click({ force: true })
    await button('Run Wiki into search').waitFor()
    assert.equal((await stored()).status, 'active')
  })

  step('it draws a workflow and changes it by keyboard', async () => {
    await page.getByRole('link', { name: 'Wiki into search' }).click()
    await card('Chunker').waitFor()
    await examine()
    await card('Chunker').focus()
    await page.keyboard.press('Enter')
    await pane('Chunker')
    await page.locator('h2:focus', { hasText: 'Chunker' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('button:focus', { hasText: 'Chunker' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Overlap' }).fill('2000')
    await button('Save').click()
    await said(/overlap has to be less than max_characters/)
    await examine()
  })

  step('it names the line of an error in the YAML and undoes it', async () => {
    await view('YAML')
    await button(/^Line \d+$/).click()
    const chosen = await page.evaluate<string>(
      'document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)',
    )
    assert.equal(chosen.trim(), 'overlap: 2000')
    await button('Undo').click()
    await said('Valid.')
    await examine()
  })

  step('it edits YAML with errors by line and updates every view', async () => {
    const area = page.getByRole('textbox', { name: 'Workflow YAML' })
    const text = await area.inputValue()
    await area.fill(text.replace('type: chunk\n', 'type: chop\n'))
    await said('1 line has an error:')
    assert.equal(await button('Save').isDisabled(), true)
    await area.fill(text.replace('subtype: chunk_by_title', 'subtype: chunk_by_character'))
    await said('Valid.')
    await view('List')
    await card('Chunker By character').waitFor()
    await button('Save').click()
    await page.getByText('Wiki into search saved.').first().waitFor()
    assert.equal((await stored()).workflow_nodes[1]?.subtype, 'chunk_by_character')
  })

  step('it shows a list that allows only valid orders', async () => {
    const chunker = button(/^Remove Chunker/)
    assert.equal(await chunker.getAttribute('aria-disabled'), 'true')
    await button('Remove Embedder').click()
    await card('Embedder').waitFor({ state: 'detached' })
    assert.equal(await chunker.getAttribute('aria-disabled'), null)
    assert.equal(await button('Add a node after Source').count(), 0)
    await examine()
    await button('Add a node after Chunker').click()
    await page.getByRole('menuitem').first().waitFor()
    assert.equal(await page.getByRole('menuitem').count(), 1)
    await page.getByRole('menuitem', { name: /Embedder/ }).click()
    await pane('Embedder')
    await view('Canvas')
    await card('Embedder').waitFor()
  })

  step('it asks before changes are lost', async () => {
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await button('Save').click()
    await page.getByText('Wiki into search saved.').first().waitFor()
    assert.deepEqual(
      (await stored()).workflow_nodes.map(({ type }) => type),
      ['partition', 'chunk', 'embed'],
    )
  })

  step('it previews a page after every step, in a frame without scripts', async () => {
    const storage =
      '<p style="color:red">A calm word.</p><script>document.title="taken over"</script><style>p{color:red}</style>' +
      '<img src="http://elsewhere.example/x.png" alt="A weir"><a href="http://elsewhere.example/">away</a>' +
      '<form action="/x"><input name="a"></form><p onclick="alert(1)">Another.</p>'
    const hostile = { body: storage, title: 'Hostile' }
    const { body: jobs } = await world.api.get<{ id: string }[]>('/jobs')
    const documents = await world.api.get<{ items: { url: string }[] }>(`/jobs/${jobs[0]?.id}/documents`)
    const space = /spaces\/([^/]+)/.exec(documents.body.items[0]?.url ?? '')?.[1] ?? ''
    await world.wiki.control.createPage({ space, ...hostile })
    await page.goto(`${home}/workflows`)
    await button('Run Wiki into search').click()
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/)
    await finish(world, page.url().split('/').at(-1)?.split('?')[0] ?? '')

    await page.goto(`${home}/workflows/${(await stored()).id}?view=preview`)
    await choose('Document to preview', 'Hostile')
    await button('Preview').click()
    await page.getByRole('tab', { name: 'After Partitioner' }).waitFor({ timeout: 60_000 })
    const frame = page.locator('iframe')
    assert.equal(await frame.getAttribute('sandbox'), '')
    const shown = (await frame.getAttribute('srcdoc')) ?? ''
    assert.match(shown, /A calm word/)
    assert.doesNotMatch(shown.split('</style>')[1] ?? '', /script|style|elsewhere|onclick|<form|<input/)
    await frame.contentFrame().getByText('A calm word.').waitFor()
    await page.getByRole('list', { name: 'After Partitioner' }).getByText('A calm word.').waitFor()
    await examine()
    await page.getByRole('tab', { name: 'After Chunker' }).click()
    await said(/^\d+ chunks$/)
    await page.getByRole('tab', { name: 'After Embedder' }).click()
    await said(/a vector of 384 dimensions/)
  })

  step('it exports the whole workflow as a file', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), menu('Export YAML')])
    assert.equal(download.suggestedFilename(), 'wiki-into-search.yaml')
    const text = await readFile(await download.path(), 'utf8')
    assert.match(text, /source: Team wiki\ndestination: Team search\nschedule: daily\n/)
  })

  step('it copies a workflow without its destination', async () => {
    await menu('Duplicate')
    await heading('New workflow')
    await said('Only one workflow can write from a source to an index')
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Wiki into search (copy)')
    await card('Destination Not chosen yet').click()
    await choose('Destination', 'Team search')
    await button('Create workflow').click()
    await said(/already writes this source into this destination/)
    await card('Destination').click()
  })

  step('it deletes a workflow after saying what stays', async () => {
    await page.goto(`${home}/workflows`)
    await menu('Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete the workflow Wiki into search' })
    await dialog.getByText('Documents that it wrote stay in Team search').waitFor()
    await dialog.getByRole('button', { name: 'Delete workflow' }).click()
    await said('No workflows yet')
  })

  step('it builds a workflow on the canvas by mouse', async () => {
    await page.getByRole('link', { name: 'New workflow' }).first().click()
    await page.getByRole('link', { name: /Build it myself/ }).click()
    await heading('New workflow')
    await page.getByRole('textbox', { name: 'Name' }).fill('My own')
    await card('Source Not chosen yet').click()
    await choose('Source', 'Team wiki')
    await card('Destination Not chosen yet').click()
    await choose('Destination', 'Team search')
    await card('Chunker').click()
    await pane('Chunker')
    await page.getByRole('textbox', { name: 'Overlap' }).fill('50')
    await button('Create workflow').click()
    await page.waitForURL(/\/workflows\/[0-9a-f-]{36}/)
    const { name, workflow_nodes: nodes } = await stored()
    assert.equal(name, 'My own')
    assert.equal(nodes.find(({ type }) => type === 'chunk')?.settings.overlap, 50)
  })
})
