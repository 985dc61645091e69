import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe } from 'node:test'
import { finders } from '../world/finders.ts'
import { finish } from '../world/flow.ts'
import { openPage, type PageWorld } from '../world/page.ts'
import { settles } from '../world/settled.ts'
import { steps } from '../world/steps.ts'
import { destinationConfig, wikiConfig } from '../world/world.ts'

type Workflow = {
  id: string
  name: string
  status: string
  workflow_nodes: Node[]
  schedule: { crontab_entries: { cron_expression: string }[] }
  schedule_timezone: string
}
type Node = { type: string; subtype: string; settings: Record<string, unknown> }

/**
 * A workflow, then each step: watched, scheduled, edited as YAML, previewed, paused, copied and deleted.
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
      config: destinationConfig(world),
    })
  })
  after(() => close?.())

  const step = steps()
  const { heading, button, dialog, showsText, choose, focused, menu: menuOf } = finders(() => page)
  const menu = (item: string) => menuOf('Wiki into search', item)
  const examine = () => browser.examine(page)
  const pane = (name: string) => page.getByRole('heading', { level: 2, name, exact: true }).waitFor()
  /** The editor's own text, without line numbers. */
  const yaml = () => page.getByRole('textbox', { name: 'Workflow YAML' })
  const write = async (text: string) => {
    await yaml().focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(text)
  }
  const card = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}.*Settings`) })
  /** The view is part of the address, so it changes a moment after the click. */
  const view = async (name: string) => {
    await page.locator('label', { hasText: new RegExp(`^${name}$`) }).click()
    await page.getByRole('radio', { name, exact: true, checked: true }).waitFor({ state: 'attached' })
  }
  const unsaved = () => page.getByText('Unsaved changes', { exact: true })
  const stored = async () => (await world.api.get<Workflow[]>('/workflows')).body[0]!
  const runsAfter = async (open: () => Promise<void>) => {
    await open()
    await button('Start run').click()
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/)
  }
  const zone = async (name: string) => {
    await page.getByRole('combobox', { name: 'Time zone' }).fill(name)
    await page.getByRole('option', { name, exact: true }).click()
  }

  step('it creates a workflow, runs it and opens the run', async () => {
    await page.goto(`${home}/workflows`)
    await showsText('No workflows yet')
    await examine()
    await page.getByRole('link', { name: 'New workflow' }).first().click()
    await page.getByRole('link', { name: 'Step by step' }).waitFor()
    await examine()
    await page.getByRole('link', { name: 'In the editor' }).click()
    await button('Create workflow').click()
    await showsText('Enter a name.')
    await button('Name: Enter a name.').click()
    await settles(focused, 'name')
    await examine()
    await page.getByRole('textbox', { name: 'Name' }).fill('Wiki into search')
    await choose('Schedule', 'Daily')
    await page.getByLabel('Time of day').fill('06:30')
    await zone('Europe/Berlin')
    await showsText('At 06:30.')
    await showsText(/^Next runs: .* 06:30 .*; .* 06:30 .*; .* 06:30 /)
    await examine()
    await card('Source Not chosen yet').click()
    await choose('Source', 'Team wiki')
    await card('Destination Not chosen yet').click()
    await choose('Destination', 'Team search')
    await button('Create workflow').click()
    await runsAfter(() => button('Run Wiki into search').click())
    const job = await finish(world, page.url().split('/').at(-1)?.split('?')[0] ?? '')
    assert.equal(job.details.processing_status, 'SUCCESS')
  })

  step('it lists a workflow with schedule, next run and last runs', async () => {
    await page.goto(`${home}/workflows`)
    const row = page.getByRole('row', { name: /Wiki into search/ })
    await row.getByText('Team wiki → Team search').waitFor()
    await row.getByText('At 06:30 (Europe/Berlin)').waitFor()
    await row.getByText(/^Next run: /).waitFor()
    await row.getByRole('img', { name: 'The last run: 1 successful' }).waitFor()
    await examine()
  })

  step('it shows what failed to load as failed, and loads it again', async () => {
    const sources = /\/api\/v1\/sources(\?|$)/
    await page.route(sources, (route) =>
      route.fulfill({ status: 409, json: { detail: 'Not now', code: 'x' } }),
    )
    await page.reload()
    const row = page.getByRole('row', { name: /Wiki into search/ })
    const again = row.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    assert.equal(await row.getByText('None').count(), 0)
    await examine()
    await page.unroute(sources)
    await again.click()
    await row.getByText('Team wiki → Team search').waitFor()
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

  step('it shows what a workflow did and will do', async () => {
    await page.getByRole('link', { name: 'Wiki into search' }).click()
    await showsText('Documents by run')
    const facts = page.getByRole('region', { name: 'Last and next run' })
    await facts.getByText(/06:30/).first().waitFor()
    assert.equal(await button('Save').count(), 0, 'nothing was edited')
    await button('Run Wiki into search').click()
    const estimate = dialog('Run Wiki into search')
    await estimate.getByText(/^About \d+ \d+ in the last run$/).waitFor()
    await browser.audit(page)
    await estimate.getByRole('button', { name: 'Cancel' }).click()
    await estimate.waitFor({ state: 'detached' })
    await examine()
    await button('Show as table').first().click()
    await page.getByRole('table', { name: /^New, changed, removed and failed/ }).waitFor()
  })

  step('it refuses a cron expression at its field and shows the next runs', async () => {
    await view('Steps')
    await choose('Schedule', 'Cron expression')
    const cron = page.getByRole('textbox', { name: 'Cron expression' })
    assert.equal(await cron.inputValue(), '30 6 * * *')
    await cron.fill('*/5 * * * *')
    await showsText(/runs 5 minutes apart; leave at least 15 minutes/)
    await cron.fill('30 6 * * 1-5')
    await showsText('At 06:30, Monday through Friday.')
    await examine()
    await button('Save').click()
    await page.getByText('Wiki into search saved.').first().waitFor()
    const { schedule, schedule_timezone: timezone } = await stored()
    assert.deepEqual(
      [schedule.crontab_entries[0]?.cron_expression, timezone],
      ['30 6 * * 1-5', 'Europe/Berlin'],
    )
  })

  step('it changes a step by keyboard', async () => {
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
    const problem = button(/^Chunker: Overlap has to be less than Maximum characters/)
    await problem.waitFor()
    await examine()
    await page.keyboard.press('Escape')
    await problem.click()
    await settles(focused, 'overlap')
  })

  step('it names the line of an error in the YAML and undoes it', async () => {
    await view('YAML')
    await button(/^Line \d+$/).click()
    await settles(() => page.evaluate<string>('getSelection().toString().trim()'), 'overlap: 2000')
    await page.locator('.cm-gutter-lint .cm-lint-marker-error').waitFor()
    await button('Undo').click()
    await showsText('Valid.')
    await examine()
  })

  step('it edits YAML with errors by line and updates every view', async () => {
    const text = await yaml().innerText()
    await write(text.replace('type: chunk\n', 'type: chop\n'))
    await showsText('1 line has an error:')
    const line = text.split('\n').indexOf('    type: chunk') + 1
    await button(`Line ${line}`).waitFor()
    await page.locator('.cm-lintRange-error', { hasText: 'type: chop' }).waitFor()
    assert.equal(await button('Save').isDisabled(), true)
    await examine()
  })

  step('it keeps typed text when the view changes', async () => {
    await view('Steps')
    await showsText('The YAML has an error in 1 line')
    assert.equal(await button('Remove Embedder').count(), 0)
    await examine()
    await button('Correct the YAML').click()
    const broken = await yaml().innerText()
    assert.match(broken, /type: chop/)
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    // It takes the focus with it.
    await dialog.waitFor({ state: 'detached' })
    const character = broken.replace('chop', 'chunk').replace('chunk_by_title', 'chunk_by_character')
    await write(`# Reviewed by Ada\n${character}`)
    await showsText('Valid.')
    await view('Steps')
    await card('Chunker By character').waitFor()
    await view('YAML')
    assert.match(await yaml().innerText(), /^# Reviewed by Ada\n/)
    await view('Steps')
    await card('Chunker By character').waitFor()
    await button('Save').click()
    await page.getByText('Wiki into search saved.').first().waitFor()
    await settles(async () => (await stored()).workflow_nodes[1]?.subtype, 'chunk_by_character')
    await unsaved().waitFor({ state: 'detached' })
  })

  step('it allows only valid orders, and offers only what can be added', async () => {
    const chunker = button(/^Remove Chunker/)
    assert.equal(await chunker.getAttribute('aria-disabled'), 'true')
    await button('Remove Embedder').click()
    await card('Embedder').waitFor({ state: 'detached' })
    assert.equal(await chunker.getAttribute('aria-disabled'), null)
    await showsText(/^Enrichments need a model provider/)
    // Without a model, an enrichment cannot be added either.
    for (const place of ['Source', 'Partitioner'])
      assert.equal(await button(`Add a step after ${place}`).count(), 0, place)
    await examine()
    await button('Add a step after Chunker').click()
    await page.getByRole('menuitem').first().waitFor()
    assert.equal(await page.getByRole('menuitem').count(), 1)
    await page.getByRole('menuitem', { name: /Embedder/ }).click()
    await pane('Embedder')
    await card('Embedder').waitFor()
  })

  step('it asks before changes are lost', async () => {
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await unsaved().waitFor()
    await button('Save').click()
    await page.getByText('Wiki into search saved.').first().waitFor()
    await unsaved().waitFor({ state: 'detached' })
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
    await runsAfter(() => button('Run Wiki into search').click())
    await finish(world, page.url().split('/').at(-1)?.split('?')[0] ?? '')

    await page.getByRole('tab', { name: 'Documents' }).click()
    await page.getByRole('combobox', { name: 'Compare with' }).click()
    await page.getByRole('option').first().click()
    await showsText(/^1 new/)
    await page
      .getByRole('table', { name: 'Documents that differ' })
      .getByRole('link', { name: 'Hostile' })
      .waitFor()
    await page.goto(`${home}/workflows/${(await stored()).id}`)
    await view('Preview')
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
    await showsText(/^\d+ chunks$/)
    await page.getByRole('tab', { name: 'After Embedder' }).click()
    await showsText(/a vector of 384 dimensions/)
  })

  step('it exports the whole workflow as a file', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), menu('Export YAML')])
    assert.equal(download.suggestedFilename(), 'wiki-into-search.yaml')
    const text = await readFile(await download.path(), 'utf8')
    assert.match(
      text,
      /source: Team wiki\ndestination: Team search\nschedule: 30 6 \* \* 1-5\nschedule_timezone: Europe\/Berlin\n/,
    )
  })

  step('it copies a workflow without its destination', async () => {
    await menu('Duplicate')
    await heading('New workflow')
    await showsText('Only one workflow can write from a source to an index')
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Wiki into search (copy)')
    await card('Destination Not chosen yet').click()
    await choose('Destination', 'Team search')
    await button('Create workflow').click()
    await showsText(/already writes this source into this destination/)
    await card('Destination').click()
  })

  step('it deletes a workflow after saying what stays', async () => {
    await page.goto(`${home}/workflows`)
    await menu('Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete the workflow Wiki into search' })
    await dialog.getByRole('radiogroup', { name: 'Its elements in Team search' }).waitFor()
    await dialog.getByText('Millrace search no longer shows them').waitFor()
    await dialog.getByRole('button', { name: 'Delete workflow' }).click()
    await showsText('No workflows yet')
  })

  step('it builds a workflow by mouse', async () => {
    await page.getByRole('link', { name: 'New workflow' }).first().click()
    await page.getByRole('link', { name: 'In the editor' }).click()
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
