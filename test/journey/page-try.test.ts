import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, type WorldBrowser } from '../world/browser.ts'
import { finders } from '../world/finders.ts'
import { signIn } from '../world/page.ts'
import { firstAdministrator, joinWorkspace, PASSWORD } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { personas } from '../world/sample/people.ts'
import { type Millrace, startMillrace } from '../world/service.ts'
import { settles } from '../world/settled.ts'
import { steps } from '../world/steps.ts'

const { priya } = personas
const JOB = /\/jobs\/[0-9a-f-]{36}$/

/** A newcomer without any system: from an empty workspace to different results of two people. */
describe('the page of "Try it"', () => {
  let millrace: Millrace
  let drop: () => Promise<void>
  let browser: WorldBrowser
  let page: Page
  let url: string
  let home: string
  /** Of a viewer. */
  let theirs: Page
  /** Of the progress. */
  let address: string
  before(async () => {
    const database = await migratedDatabase()
    drop = database.drop
    millrace = await startMillrace({ databaseUrl: database.url })
    url = millrace.url ?? ''
    const { ada, workspace } = await firstAdministrator(millrace)
    home = `${url}/w/${workspace}`
    await joinWorkspace(ada, url, { email: 'vic@acme.example', role: 'viewer', workspace })
    browser = await openBrowser(url)
    page = await browser.page()
    await enter(page, 'ada@acme.example')
  })
  after(async () => {
    await browser?.close()
    await millrace?.end('SIGTERM')
    await drop?.()
  })

  const step = steps()
  const { heading, button, field, showsText, showsNotice, menu } = finders(() => page)
  const examine = () => browser.examine(page)
  const status = (name: string) => page.getByRole('button', { name })
  /** After a run of the sample. */
  const foundByPriya = () => status('Priya Nair Found').first().waitFor({ timeout: 120_000 })
  const badge = () => page.locator('#main').getByText('Sandbox', { exact: true })
  const shownLimit = () => showsText('At most 5,000 documents, inside this service.')

  async function enter(on: Page, email: string): Promise<void> {
    await signIn(on, home, { email, password: PASSWORD })
    await on.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
  }

  async function showJobAs(change: object): Promise<void> {
    await page.route(JOB, async (route) => {
      const job = (await (await route.fetch()).json()) as object
      await route.fulfill({ json: { ...job, ...change } })
    })
  }

  step('it says what it does before it starts', async () => {
    await showsText('It takes about a minute')
    await showsText(/^Supported: Confluence Cloud and Confluence Data Center\./)
    await showsText(/^Supported: Elasticsearch, OpenSearch, and PostgreSQL\. Or use the sandbox/)
    await button('Try it').waitFor()
    await page.getByRole('link', { name: 'Connect your own' }).waitFor()
    await examine()
  })

  step('it tells viewers why they cannot start it', async () => {
    theirs = await browser.page()
    await enter(theirs, 'vic@acme.example')
    await theirs.getByText('Your role here is Viewer.').waitFor()
    await theirs.getByRole('link', { name: 'Create a token' }).waitFor()
    assert.equal(await theirs.getByRole('button', { name: 'Try it' }).count(), 0)
    await browser.audit(theirs)
  })

  step('it shows the reason of a failure and lets the person try again', async () => {
    const detail = 'The sandbox cannot be created. Allow the database role to create roles.'
    await page.route('**/samples/try', (route) =>
      route.fulfill({ status: 409, json: { detail, code: 'not_possible' } }),
    )
    await button('Try it').click()
    await showsNotice(detail)
    await page.unroute('**/samples/try')
  })

  step('it shows the progress of the run and continues after a reload', async () => {
    // A fast run would end before the reload.
    await showJobAs({ status: 'IN_PROGRESS' })
    await button('Try it').press('Enter')
    await page.waitForURL(/\/try\?/)
    address = page.url()
    await showsText(/^First run: /)
    await page.reload()
    await showsText(/^First run: \d+ of \d+ documents/)
    await page.getByRole('list', { name: 'Steps of the run' }).waitFor()
    await browser.audit(page)
    await page.unroute(JOB)
  })

  step('it opens the search with different results for the two people', async () => {
    await page.waitForURL(/\/search\?/, { timeout: 120_000 })
    await heading('Access lab')
    const [search] = priya.searches
    assert.equal(await page.getByLabel('Query').inputValue(), search?.query)
    await showsText(/^Only Priya Nair finds [1-9]\d*, only Lena Fischer \d+, both \d+\.$/)
    const first = page.getByRole('region', { name: 'Results' }).locator('ol > li').first()
    await first
      .getByRole('button', { name: /Stopped/ })
      .first()
      .waitFor()
    await status(`Lena Fischer Stopped Why? ${search?.finds[0]}`).click()
    await showsText(/^Stopped by the restriction of .*: only group /)
    await shownLimit()
    await examine()
    await page.goBack()
    await heading('Start')
  })

  step('it gives people who may not search as others the address for an administrator', async () => {
    await theirs.goto(address)
    await theirs
      .getByText('Only administrators can search as other people. Your role here is Viewer.')
      .waitFor()
    const copied = await finders(() => theirs).copy('the address of the search')
    await browser.audit(theirs)
    await theirs.context().close()
    await page.goto(copied)
    await status('Lena Fischer Found').first().waitFor()
    await field('Query').fill('zzxxqq')
    await field('Query').press('Enter')
    await showsText('No one of them finds “zzxxqq”.')
  })

  step('it says that a run failed and runs it again', async () => {
    for (const outcome of [{ processing_status: 'COMPLETED_WITH_ERRORS' }, { status: 'FAILED' }]) {
      await showJobAs(outcome)
      await page.goto(address)
      await showsText('The run did not complete')
      await examine()
      await page.unroute(JOB)
    }
    await button('Run it again').click()
    await foundByPriya()
  })

  const list = () => page.getByRole('region', { name: 'Set up this workspace' })
  const rows = () => list().getByRole('listitem')

  step('it keeps the way to connect after the sample, until each step is done or dismissed', async () => {
    await page.goto(home)
    await heading('Start')
    await settles(() => rows().count(), 7)
    await rows().first().getByRole('img', { name: 'done' }).waitFor()
    await examine()
    await page.getByRole('link', { name: 'Connect your own' }).click()
    await heading('Connect your own')
    await page.goto(`${home}/connectors`)
    await page.getByRole('link', { name: 'Connect', exact: true }).click()
    await heading('Connect your own')
    await page.goto(home)
    await button('Dismiss: Set a schedule').click()
    await settles(() => rows().count(), 6)
    await page.reload()
    await settles(() => rows().count(), 6)
  })

  step('it leads from the start page back to the search', async () => {
    await button('Search as two people').click()
    await foundByPriya()
  })

  step('it marks the sandbox wherever it appears', async () => {
    await page.goto(`${home}/connectors?tab=destination`)
    await badge().first().waitFor()
    await showsText(/^\d+ of 5,000 documents$/)
    await browser.audit(page)
    await page.getByRole('link', { name: 'Sandbox', exact: true }).click()
    await heading('Sandbox')
    await shownLimit()
    await page.getByRole('link', { name: 'Use your own destination' }).waitFor()
    assert.equal(await field('Host').count(), 0)
    await button('Test').click()
    await showsText('The connection works.')
    await examine()
    await page.goto(`${home}/workflows/new/custom`)
    await page.getByRole('button', { name: /^Destination.*Settings/ }).click()
    await page.getByRole('combobox', { name: 'Destination' }).click()
    await page.getByRole('option', { name: 'Sandbox' }).click()
    await shownLimit()
    await browser.audit(page)
    await page.goto(`${home}/workflows`)
    await badge().waitFor()
    await page.goto(`${home}/jobs`)
    await page
      .getByRole('link', { name: /Sample wiki/ })
      .first()
      .click()
    await page.getByText('Settings of this run').click()
    await page.getByRole('link', { name: 'Sandbox', exact: true }).waitFor()
  })

  step('it renames the sandbox and changes nothing else', async () => {
    await page.goto(`${home}/connectors?tab=destination`)
    await menu('Sandbox', 'Edit')
    await field('Name').fill('Trial')
    await button('Save and test').click()
    await heading('Trial')
    await showsText('The connection works.')
  })

  step('it builds the form of a database and names the variable that allows a host', async () => {
    await page.goto(`${home}/connectors/destination/new`)
    await browser.audit(page)
    await page.getByRole('link', { name: /PostgreSQL/ }).click()
    assert.equal(await field('Port').inputValue(), '5432')
    await field('Name').fill('Own database')
    await field('Host').fill('127.0.0.1')
    await field('Database').fill('search')
    await field('User name').fill('writer')
    await field('Password').fill('secret')
    await page.getByText(/^Advanced/).click()
    await field('CA certificate').fill('none')
    await button('Save and test').click()
    await showsText(/-----BEGIN CERTIFICATE-----/)
    await field('CA certificate').fill('')
    await button('Save and test').click()
    await showsText(/MILLRACE_ALLOWED_HOSTS/)
    await examine()
  })
  step('it says why the sample is not offered', async () => {
    await page.route('**/overview', async (route) => {
      const overview = (await (await route.fetch()).json()) as { setup: object }
      const setup = {
        ...overview.setup,
        has_sample_run: false,
        sample_reason: 'The sandbox is switched off.',
      }
      await route.fulfill({ json: { ...overview, setup } })
    })
    await page.goto(home)
    await showsText('The sandbox is switched off.')
    assert.equal(await button('Try it').count(), 0)
    await page.unroute('**/overview')
  })
})
