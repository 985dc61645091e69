import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, type WorldBrowser } from '../world/browser.ts'
import { WITH_FAST_EMBEDDING } from '../world/fast-embedding.ts'
import { finders } from '../world/finders.ts'
import { firstAdministrator, joinWorkspace, PASSWORD } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'
import { settles } from '../world/settled.ts'

/** A new user without a wiki, search engine or sandbox: from the first screen to elements and a workflow. */
describe('the page of the sample wiki', () => {
  let millrace: Millrace
  let databaseUrl: string
  let drop: () => Promise<void>
  let browser: WorldBrowser
  let page: Page
  let url: string
  let workspace: string
  before(async () => {
    const database = await migratedDatabase()
    drop = database.drop
    databaseUrl = database.url
    millrace = await startMillrace({ databaseUrl, env: { ...WITH_FAST_EMBEDDING, MILLRACE_SANDBOX: 'off' } })
    url = millrace.url ?? ''
    const { ada, workspace: first } = await firstAdministrator(millrace)
    workspace = first
    await joinWorkspace(ada, url, { email: 'vic@acme.example', role: 'viewer', workspace })
    browser = await openBrowser(url)
    page = await browser.page()
    await signIn(page, 'ada@acme.example')
  })
  after(async () => {
    await browser?.close()
    await millrace?.end('SIGTERM')
    await drop?.()
  })

  async function signIn(on: Page, email: string): Promise<void> {
    await on.goto(`${url}/w/${workspace}`)
    await on.getByLabel('E-mail').fill(email)
    await on.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await on.getByRole('button', { name: 'Sign in', exact: true }).click()
    await heading('Start', on)
  }

  /** A screen in both colour schemes, and on a phone without horizontal scrolling. */
  async function examine(name: string): Promise<void> {
    await page.mouse.move(640, 790)
    for (const notice of await page.getByRole('button', { name: 'Close notice' }).all())
      await notice.click({ timeout: 1000 }).catch(() => {})
    for (const [width, colorScheme] of [
      [1280, 'dark'],
      [360, 'dark'],
      [360, 'light'],
      [1280, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
      await browser.audit(page)
      const tooWide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.equal(tooWide, 0, `${name} scrolls sideways at ${width} pixels`)
    }
  }

  const heading = (name: string, on = page) => on.getByRole('heading', { level: 1, name }).waitFor()
  const begin = (on = page) => on.getByRole('button', { name: 'Try it with a sample wiki' })

  // Each test continues where the previous one stopped.
  let broken: string | undefined
  const step = (name: string, work: () => Promise<void>) =>
    test(name, async () => {
      assert.equal(broken, undefined, 'this step failed before')
      broken = name
      await work()
      broken = undefined
    })

  step('it explains the sample before it is created', async () => {
    await page.getByText('sample pages').waitFor()
    await page.getByText('inside this service; nothing leaves the machine').waitFor()
    await page.getByText('The sandbox is switched off.').waitFor()
    await page.getByText('npm run demo').waitFor()
    await begin().waitFor()
    await examine('start')
  })

  step('it does not let viewers create it and says why', async () => {
    const theirs = await browser.page()
    await signIn(theirs, 'vic@acme.example')
    await theirs
      .getByText('Only developers and administrators can connect it. Your role here is Viewer.')
      .waitFor()
    assert.equal(await begin(theirs).count(), 0)
    await theirs.goto(`${url}/w/${workspace}/sample`)
    await heading('Sample wiki', theirs)
    await theirs.getByText('Your role here is Viewer').waitFor()
    await browser.audit(theirs)
    await theirs.context().close()
  })

  step('it shows elements with readers and a passed check after one click', async () => {
    const began = Date.now()
    await begin().click()
    await heading('Sample wiki')
    await page
      .getByRole('list', { name: /^After / })
      .getByRole('listitem')
      .first()
      .waitFor({ timeout: 60_000 })
    await page.getByText('Readers:').waitFor()
    await page.getByText('The connection works.').first().waitFor({ timeout: 60_000 })
    assert.ok(Date.now() - began < 60_000, 'within a minute')
    assert.equal(await page.getByRole('link', { name: 'Open' }).count(), 0, 'no dead link')
    await examine('sample')
  })

  step('it shows pages with different readers, by name, and each step', async () => {
    const readers = new Set<string>()
    const documents = page.getByRole('combobox', { name: 'Shown' })
    await documents.click()
    const listed = page.getByRole('listbox').getByRole('option')
    await settles(() => listed.count(), 10)
    const options = await listed.allTextContents()
    await page.keyboard.press('Escape')
    for (const title of options) {
      await documents.click()
      await page.getByRole('listbox').getByRole('option', { name: title, exact: true }).click()
      await settles(() => documents.inputValue(), title)
      readers.add((await page.getByText('Readers:').locator('..').textContent()) ?? '')
    }
    assert.ok(readers.size > 1, [...readers].join('\n'))
    assert.ok(
      [...readers].every((line) => !/\d{4}-/.test(line)),
      [...readers].join('\n'),
    )
    await page.getByRole('tab', { name: /^After .*[Ee]mbed/ }).click()
    await page.getByText('384').first().waitFor()
    await examine('vectors')
  })

  step('it leads to a workflow with the source selected', async () => {
    await page.getByRole('link', { name: 'Create a workflow from it' }).click()
    await heading('Connect your own')
    await page.getByText(/^Sample wiki · /).waitFor()
    await examine('workflow')
  })

  step('it opens the same source again from the first screen', async () => {
    await page.goto(`${url}/w/${workspace}`)
    await page.getByRole('link', { name: 'Open the sample wiki' }).click()
    await heading('Sample wiki')
    await page.getByText('Priya Nair, chief people officer').waitFor()
    assert.match(await finders(() => page).copy('the account id of Priya Nair'), /^557058:/)
    await page.goto(`${url}/w/${workspace}/connectors`)
    await page.getByRole('link', { name: 'Sample wiki' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Sample wiki' }).count(), 1)
  })

  step('it is not offered if the operator disabled it', async () => {
    await browser.close()
    await millrace.end('SIGTERM')
    const env = { MILLRACE_SAMPLE_WIKI: 'off', MILLRACE_SANDBOX: 'off' }
    millrace = await startMillrace({ databaseUrl, env })
    // Another process may have taken the port.
    url = millrace.url ?? ''
    browser = await openBrowser(url)
    page = await browser.page()
    await signIn(page, 'ada@acme.example')
    await page.getByText('is disabled on this service').waitFor()
    assert.equal(await begin().count(), 0)
    await page.goto(`${url}/w/${workspace}/sample`)
    await page.getByText('is disabled on this service').waitFor()
    await browser.audit(page)
  })
})
