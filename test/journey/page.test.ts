import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, type WorldBrowser } from '../world/browser.ts'
import { finders } from '../world/finders.ts'
import { waitForSetupToken } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'
import { holds, settles } from '../world/settled.ts'
import { steps } from '../world/steps.ts'

const ada = { name: 'Ada Brook', email: 'ada@acme.example', password: 'a mill by the water' }
const bo = { name: 'Bo Weir', email: 'bo@acme.example', password: 'the weir is open today' }

/** From the printed setup link to a working key, members and sign-out, in a real browser. */
describe('the page', () => {
  let millrace: Millrace
  let drop: () => Promise<void>
  let browser: WorldBrowser
  let page: Page
  let url: string
  before(async () => {
    const database = await migratedDatabase()
    drop = database.drop
    millrace = await startMillrace({ databaseUrl: database.url })
    url = millrace.url ?? ''
    browser = await openBrowser(url)
    page = await browser.page()
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await drop()
    await browser.close()
  })

  const step = steps()
  const { heading, button, copy, showsNotice } = finders(() => page)
  const examine = () => browser.examine(page)
  const ask = async (key: string) =>
    (await fetch(`${url}/api/v1/sources/`, { headers: { authorization: `Bearer ${key}` } })).status

  step('it admits no one before set-up and says where to begin', async () => {
    await page.goto(`${url}/w/1/jobs`)
    await heading('Sign in')
    await page.getByText('no account yet').waitFor()
    await examine()
  })

  step('it is set up by the printed link, with errors at their fields', async () => {
    await waitForSetupToken(millrace)
    await page.goto(setupLink(millrace))
    await heading('Set up Millrace')
    await button('Create account').click()
    await page.getByText('Enter your name.').first().waitFor()
    await settles(() => page.evaluate<string>('document.activeElement.name'), 'name')
    await page.getByLabel('Your name').fill(ada.name)
    await page.getByLabel('E-mail').fill(ada.email)
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await page.getByLabel('Business').check()
    await examine()
    await page.getByLabel('Organisation').fill('Acme Waterworks')
    await button('Create account').click()
    // The only workspace opens at once.
    await heading('Start')
    await page.goto(`${url}/?choose=true`)
    await heading('Choose a workspace')
    await examine()
  })

  step('it creates no key before a workspace is chosen and says why', async () => {
    await page.getByRole('link', { name: 'API keys' }).click()
    await heading('API keys')
    assert.equal(await button('New key').isDisabled(), true)
    await page.getByText('Choose a workspace first').waitFor()
    await examine()
  })

  let workspace: string
  step('it creates a workspace with a shareable address', async () => {
    await page.goto(`${url}/?choose=true`)
    await page.getByLabel('Name').fill('Handbook')
    await button('Create workspace').click()
    await page.waitForURL(/\/w\/[0-9a-f-]{36}/)
    workspace = /\/w\/[0-9a-f-]{36}/.exec(page.url())![0]
    await page.goto(`${url}/w/00000000-0000-0000-0000-000000000000/keys`)
    await heading('Not found')
    await examine()
  })

  let key: string
  step('it creates a working key and copies it', async () => {
    await page.goto(`${url}${workspace}/keys`)
    await button('New key').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Nightly import')
    assert.equal(await dialog.getByLabel('Search only').isChecked(), true)
    assert.equal(await dialog.getByLabel('Expires').inputValue(), '90')
    await dialog.getByLabel('Full', { exact: true }).check()
    await examine()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    key = await copy('the key Nightly import', dialog)
    assert.equal(await ask(key), 200)
    await examine()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText(`…${key.slice(-4)}`).waitFor()
    await examine()
  })

  step('it copies a key after a reload, disables it and enables it', async () => {
    await page.reload()
    await page.evaluate('navigator.clipboard.writeText("")')
    assert.equal(await copy('the key Nightly import'), key)
    const works = page.getByLabel('Key Nightly import enabled')
    await works.focus()
    await page.keyboard.press('Space')
    await showsNotice('Key Nightly import disabled.')
    assert.equal(await ask(key), 401)
    await page.keyboard.press('Space')
    await showsNotice('Key Nightly import enabled.')
    assert.equal(await ask(key), 200)
  })

  step('it deletes a key after a confirmation that names it', async () => {
    await button('Delete the key Nightly import').click()
    const dialog = page.getByRole('dialog', { name: 'Delete the key Nightly import' })
    await dialog.getByText('stop working').waitFor()
    await examine()
    await dialog.getByRole('button', { name: 'Delete key' }).click()
    await page.getByText('No keys yet').waitFor()
    assert.equal(await ask(key), 401)
    await examine()
    await button('Undo').click()
    await page.getByText(`…${key.slice(-4)}`).waitFor()
    assert.equal(await ask(key), 200)
    await button('Delete the key Nightly import').click()
    await dialog.getByRole('button', { name: 'Delete key' }).click()
    await page.getByText('No keys yet').waitFor()
  })

  step('it creates a search key with its limits', async () => {
    await button('New key').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Assistant')
    await dialog.getByLabel('May name the person').check({ force: true })
    await dialog.getByLabel('Expires').selectOption('In 30 days')
    await examine()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    assert.equal(await ask(await copy('the key Assistant', dialog)), 403)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: 'Search only, may name the person' }).waitFor()
    await examine()
    await button('Delete the key Assistant').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click()
    await page.getByText('No keys yet').waitFor()
  })

  step('it shows a personal token once and revokes it', async () => {
    await button('New token').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Laptop')
    await examine()
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const token = await copy('the token Laptop', dialog)
    assert.equal(await ask(token), 403)
    for (const [assistant, text] of [
      ['curl', `${url}/api/v1/destinations/`],
      ['TypeScript', 'millrace.search'],
      ['Python', 'requests.post'],
      ['Claude', `claude mcp add --transport http millrace ${url}/mcp`],
      ['Cursor', `Bearer ${token}`],
      ['VS Code', '"type": "http"'],
    ] as const) {
      await dialog.getByRole('tab', { name: assistant }).click()
      await dialog.getByRole('tabpanel').getByText(text).waitFor()
    }
    await examine()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    const tokens = page.getByRole('table', { name: 'Personal tokens', exact: true })
    await tokens.getByText(`…${token.slice(-4)}`).waitFor()
    await examine()
    await button('Revoke the token Laptop').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('No personal tokens yet').waitFor()
    assert.equal(await ask(token), 401)
  })

  let invitation: string
  step('it creates an invitation whose link is shown once', async () => {
    await page.goto(`${url}${workspace}/settings/members`)
    await page.getByLabel('E-mail', { exact: true }).fill(bo.email)
    await button('Create invitation').click()
    invitation = await copy('the invitation link')
    await examine()
    await page.reload()
    await page.getByRole('cell', { name: bo.email, exact: true }).waitFor()
    assert.equal(await page.getByText(invitation).count(), 0)
  })

  step('it lets the invited person join with exactly their role', async () => {
    const others = await browser.page()
    await others.goto(invitation)
    await others.getByRole('heading', { level: 1, name: 'Join Handbook' }).waitFor()
    await browser.audit(others)
    await others.getByLabel('Your name').fill(bo.name)
    await others.getByLabel('Password', { exact: true }).fill(bo.password)
    await others.getByRole('button', { name: 'Create account and join' }).click()
    // The only workspace opens at once.
    await others.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
    await others.getByRole('link', { name: 'API keys' }).click()
    await others.getByText('create keys. Your role here is Viewer.').waitFor()
    await browser.audit(others)
    await others.goto(invitation)
    await others.getByRole('heading', { level: 1, name: 'This invitation does not work' }).waitFor()
    await others.context().close()
  })

  step('it changes a role, but never of the last administrator', async () => {
    await page.reload()
    await page.getByLabel(`Role of ${bo.name}`).selectOption('Operator')
    await showsNotice(`Role of ${bo.name} changed to Operator.`)
    await page.getByLabel(`Role of ${ada.name}`).selectOption('Viewer')
    await showsNotice('last administrator')
    const kept = page.getByLabel(`Role of ${ada.name}`).locator('option[value=administrator]:checked')
    await kept.waitFor({ state: 'attached' })
  })

  step('it shows who did what', async () => {
    await page.getByRole('tab', { name: 'Audit log' }).click()
    const revealed = page.getByRole('cell', { name: `${ada.name} revealed the key Nightly import` })
    await revealed.first().waitFor()
    await examine()
    await page.getByLabel('What', { exact: true }).selectOption('People')
    await settles(() => revealed.count(), 0)
    await page
      .getByRole('cell', { name: `${ada.name} invited ${bo.email}` })
      .first()
      .waitFor()
    assert.equal(await revealed.count(), 0)
    await page.getByLabel('Text').fill('no such entry')
    await page.getByText('No entry matches the filters').waitFor()
    await button('Clear filters').click()
    await page.getByLabel('Who').selectOption(ada.name)
    // The export uses the same filters as the last request.
    const filtered = page.waitForResponse((response) => response.url().includes('text=Nightly'))
    await page.getByLabel('Text').fill('Nightly')
    await filtered
    await settles(() => page.getByRole('cell', { name: /invited/ }).count(), 0)
    await revealed.first().waitFor()
    const download = page.waitForEvent('download')
    await button('Export').click()
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    const exported = await readFile(await (await download).path(), 'utf8')
    assert.match(exported, /reveal_key/)
    assert.doesNotMatch(exported, /invite/)
  })

  step('it renames the workspace everywhere', async () => {
    await page.getByRole('tab', { name: 'Workspace' }).click()
    await page.getByLabel('Name of the workspace').fill('Staff handbook')
    await button('Rename').click()
    await showsNotice('Workspace renamed.')
    await settles(() => page.locator('header option:checked').textContent(), 'Staff handbook')
    await examine()
  })

  step('it changes the password and lists the sessions', async () => {
    await page.getByRole('tab', { name: 'Account' }).click()
    await page.getByLabel('Current password').fill('something else entirely')
    await page.getByLabel('New password').fill(`${ada.password} again`)
    await button('Change password').click()
    await page.getByText('not your password').waitFor()
    await page.getByLabel('Current password').fill(ada.password)
    await button('Change password').click()
    await showsNotice('Password changed.')
    ada.password = `${ada.password} again`
    await page
      .getByRole('cell', { name: /Chrome on Linux/ })
      .first()
      .waitFor()
    await examine()
  })

  step('it signs out and in again and returns to the same screen', async () => {
    await button(`Account of ${ada.name}`).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    await browser.audit(page)
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading('Sign in')
    await page.goto(`${url}${workspace}/settings/audit`)
    await page.getByLabel('E-mail').fill(ada.email)
    await page.getByLabel('Password', { exact: true }).fill('wrong in every way')
    await button('Sign in').click()
    await page.getByText('Wrong e-mail or password.').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await button('Sign in').click()
    await heading('Settings: Audit log')
    assert.ok(page.url().endsWith(`${workspace}/settings/audit`), page.url())
    await page.locator('h1:focus', { hasText: 'Settings: Audit log' }).waitFor()
  })

  step('it works by keyboard, past the menu and through the drawer of a phone', async () => {
    await page.reload()
    await heading('Settings: Audit log')
    await page.keyboard.press('Tab')
    await page.locator('a:focus', { hasText: 'Skip to content' }).waitFor()
    await page.keyboard.press('Enter')
    await settles(() => page.evaluate<string>('document.activeElement.id'), 'main')
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole('link', { name: 'Runs' }).waitFor({ state: 'hidden' })
    await button('Open menu').press('Enter')
    await page.getByRole('link', { name: 'Runs' }).waitFor()
    await browser.audit(page)
    await page.getByRole('link', { name: 'API keys' }).press('Enter')
    await heading('API keys')
    await page.getByRole('link', { name: 'Runs' }).waitFor({ state: 'hidden' })
    await page.setViewportSize({ width: 1280, height: 800 })
    await button('Open menu').waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Runs' }).waitFor()
  })

  step('it keeps the chosen colour scheme', async () => {
    const dark = page.getByRole('menuitemradio', { name: 'Dark' })
    // A menu that opens while the layout still changes closes again.
    await holds(async () => {
      if (!(await dark.isVisible())) await button(`Account of ${ada.name}`).click({ timeout: 10_000 })
      await dark.click({ timeout: 10_000 })
    })
    const scheme = () => page.evaluate<string>('document.documentElement.dataset.mantineColorScheme')
    await settles(scheme, 'dark')
    await page.reload()
    await heading('API keys')
    await settles(scheme, 'dark')
  })
})

/** From the output of the service at its start. */
function setupLink({ lines }: Millrace): string {
  for (const line of lines) {
    if (!line.includes('setup_url')) continue
    return (JSON.parse(line) as { setup_url: string }).setup_url
  }
  throw new Error(`the service printed no set-up link:\n${lines.join('\n')}`)
}
