import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { sql } from 'kysely'
import { okBody } from '../world/answers.ts'
import { finders } from '../world/finders.ts'
import { type Flow, makeFlow, run } from '../world/flow.ts'
import { addViewer, openPage, type PageWorld, signIn } from '../world/page.ts'
import { withDatabase } from '../world/past-runs.ts'
import { holds } from '../world/settled.ts'
import { steps } from '../world/steps.ts'

type Workflow = {
  permissions_schedule: string
  max_permission_age_hours: number | null
  hide_in_index_after_hours: number | null
}

/** Ages of permissions on all screens: they get old, search hides them, and a person reads them again. */
describe('the page of permission ages', () => {
  let { world, browser, page, home, close } = {} as PageWorld
  let flow: Flow
  const step = steps()
  before(async () => {
    const wiki = { seed: 21, pages: 12, spaces: 2, people: 4, groups: 2 }
    ;({ world, browser, page, home, close } = await openPage({ wiki }))
    flow = await makeFlow(world)
    await run(world, flow)
  })
  after(() => close?.())

  const { button, choose, dialog, heading, menu, showsNotice, showsText } = finders(() => page)
  const examine = () => browser.examine(page)
  const panel = () => page.getByRole('region', { name: 'Permissions', exact: true })
  const statuses = () => panel().locator('tbody td:nth-child(3)').allInnerTexts()
  const stored = async () => okBody(await world.api.get<Workflow>(`/workflows/${flow.workflowId}`))
  /** Ages in hours, in the order of the scopes. */
  const setAges = (ages: number[]) =>
    withDatabase(world, async (db) => {
      const { rows } = await sql<{ scope: string }>`select scope from workflow_scopes
        where workflow_id = ${flow.workflowId}::uuid order by scope`.execute(db)
      for (const [index, { scope }] of rows.entries())
        await sql`update workflow_scopes
          set proved_at = now() - make_interval(mins => ${Math.round((ages[index % ages.length] ?? 0) * 60)}::integer)
          where workflow_id = ${flow.workflowId}::uuid and scope = ${scope}`.execute(db)
      return rows.map(({ scope }) => scope)
    })

  step('it shows the age of every space', async () => {
    await page.goto(`${home}/workflows/${flow.workflowId}`)
    await heading('flow')
    await panel().getByText('Fresh').first().waitFor()
    assert.ok((await statuses()).every((status) => status.trim() === 'Fresh'))
    await panel().getByText('Search hides spaces whose permissions are older than 24 hours.').waitFor()
    await examine()
  })

  step('it shows the oldest first and says that search hides it', async () => {
    const [first, second] = await setAges([1, 25])
    await page.reload()
    await panel().getByText('Search hides 1 space').waitFor()
    const rows = await panel().locator('tbody td:nth-child(1)').allInnerTexts()
    assert.deepEqual(
      rows.map((row) => /^.+ \((.+)\)$/.exec(row.trim())?.[1]),
      [second, first],
    )
    assert.deepEqual(
      (await statuses()).map((status) => status.trim()),
      ['Hidden', 'Stale'],
    )
    await examine()
  })

  step('it warns on the overview', async () => {
    await page.goto(home)
    await showsText('Oldest permissions')
    await showsText('Search hides documents with old permissions')
    await showsText(': 1 space hidden')
    await examine()
    await page.getByRole('alert').getByRole('link', { name: 'flow' }).click()
    await heading('flow')
  })

  step('it reads permissions by keyboard and shows the progress', async () => {
    // The heading takes the focus first.
    await page.locator('h1:focus').waitFor()
    await button('Read permissions now').focus()
    await page.keyboard.press('Enter')
    await panel().getByText('Permissions of 2 of 2 spaces read.').waitFor()
    await panel().getByText('Successful').waitFor()
    await panel().getByText('Search hides 1 space').waitFor({ state: 'detached' })
    await holds(async () => assert.ok((await statuses()).every((status) => status.trim() === 'Fresh')))
    await button('Read permissions now').waitFor()
    await examine()
    await panel().getByRole('link', { name: 'Open the run' }).click()
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/)
    await heading('flow')
    await showsText('This run reads permissions and writes changed ones to the index.')
    await examine()
    await page.goto(home)
    await showsText('Oldest permissions')
    assert.equal(await page.getByText('Search hides documents with old permissions').count(), 0)
  })

  step('it changes the schedule and the maximum ages', async () => {
    await page.goto(`${home}/workflows/${flow.workflowId}?view=steps`)
    // It moves the fields down once it is loaded.
    await page.getByLabel('Swap the index').waitFor()
    await page.getByText('Advanced (3)').click()
    await choose('Permission schedule', 'Every 5 minutes')
    await page.getByLabel('Maximum age of permissions').fill('0.5')
    await page.getByLabel('Hide in the index after').fill('48')
    await examine()
    await button('Save').click()
    await showsNotice('flow saved.')
    const { permissions_schedule: schedule, max_permission_age_hours: maxAge, ...rest } = await stored()
    assert.deepEqual([schedule, maxAge, rest.hide_in_index_after_hours], ['every 5 minutes', 0.5, 48])
  })

  step('it shows at the field that permissions would get too old', async () => {
    await choose('Permission schedule', 'Only during runs')
    await button('Save').click()
    await page
      .getByText(/permissions would get older/i)
      .first()
      .waitFor()
    await page.locator('[aria-invalid=true]').first().waitFor()
    await examine()
    await page.getByLabel('Maximum age of permissions').fill('')
    await button('Save').click()
    await page.locator('label', { hasText: /^Overview$/ }).click()
    await panel().getByText('There is no maximum age.').waitFor()
    assert.deepEqual(
      [(await stored()).permissions_schedule, (await stored()).max_permission_age_hours],
      ['off', null],
    )
  })

  step('it says in search what is hidden, estimated or left out', async () => {
    const hidden = [
      { workflow_id: flow.workflowId, scope: 'OLD', reason: 'stale', proved_at: '2026-01-01T00:00:00.000Z' },
      { workflow_id: flow.workflowId, scope: 'NONE', reason: 'never', proved_at: null },
    ]
    const added = { hidden, differ_relation: 'gte', incomplete: true }
    await page.route('**/compare', async (route) => {
      const response = await route.fetch()
      const found = (await response.json()) as { people: object[] }
      const people = found.people.map((each) => ({ ...each, found: 1200, found_relation: 'lte' }))
      await route.fulfill({ response, json: { ...found, ...added, people } })
    })
    await page.goto(`${home}/search?query=the&groups=everyone`)
    await showsText('Search hides 2 spaces')
    await showsText('never read')
    await showsText('Member of 1 group finds about 1,200')
    await showsText(/There may be more results/)
    await page.getByRole('alert').getByRole('link', { name: 'flow' }).waitFor()
    await examine()
    await page.unroute('**/compare')
  })

  step('it lets viewers see ages but not read permissions', async () => {
    const viewer = await addViewer(world, 'vi@acme.example')
    const other = await browser.page()
    await signIn(other, world.millrace.url ?? '', viewer)
    await other.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
    await other.goto(`${home}/workflows/${flow.workflowId}`)
    await other
      .getByRole('button', { name: 'Read permissions now. Your role cannot read permissions.' })
      .waitFor()
    await other.context().close()
  })

  step('it asks whether elements stay in the index', async () => {
    await page.goto(`${home}/workflows`)
    await menu('flow', 'Delete')
    const question = dialog('Delete the workflow flow')
    await question.getByText('Millrace search no longer shows them').waitFor()
    assert.equal(await question.getByLabel('Keep them in the index').isChecked(), true)
    await question.getByLabel('Keep them in the index').focus()
    await page.keyboard.press('ArrowDown')
    await question.getByRole('button', { name: 'Delete workflow and elements' }).waitFor()
    await examine()
    const sent = page.waitForRequest((request) => request.method() === 'DELETE')
    await question.getByRole('button', { name: 'Delete workflow and elements' }).click()
    assert.equal(new URL((await sent).url()).searchParams.get('elements'), 'remove')
    await showsNotice('flow deleted. Its elements are being removed from the index.')
    await showsText('No workflows yet')
  })
})
