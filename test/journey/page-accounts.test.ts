import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { apiOf } from '../world/api.ts'
import { openBrowser, type WorldBrowser } from '../world/browser.ts'
import { finders } from '../world/finders.ts'
import {
  joinWorkspace,
  openPageClient,
  PASSWORD,
  type PageClient,
  type Session,
  waitForSetupToken,
} from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'
import { settles } from '../world/settled.ts'
import { steps } from '../world/steps.ts'

const ada = { name: 'Ada Brook', email: 'ada@acme.example', password: 'a mill by the water' }
const ROLES = ['viewer', 'operator', 'developer', 'administrator'] as const
type Role = (typeof ROLES)[number]

/** Accounts in a real browser: one's own, those of others, and what each role may do. */
describe('accounts on the page', () => {
  let millrace: Millrace
  let drop: () => Promise<void>
  let browser: WorldBrowser
  let page: Page
  let url: string
  let workspace: string
  /** Ada through the API, for steps that this journey does not test. */
  let adaByApi: PageClient
  before(async () => {
    const database = await migratedDatabase()
    drop = database.drop
    millrace = await startMillrace({ databaseUrl: database.url, role: 'api' })
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
  const examine = (on = page) => browser.examine(on)

  const heading = (name: string | RegExp, on = page) => on.getByRole('heading', { level: 1, name }).waitFor()
  const button = (name: string, on = page) => on.getByRole('button', { name, exact: true })
  const said = (text: string, on = page) => on.getByText(text).first().waitFor({ state: 'attached' })
  const { clipboard, copies } = finders(() => page)

  async function signIn(who: { email: string; password: string }, on: Page): Promise<void> {
    await on.goto(`${url}/sign-in`)
    await on.getByLabel('E-mail').fill(who.email)
    await on.getByLabel('Password', { exact: true }).fill(who.password)
    await button('Sign in', on).click()
    await on.waitForURL((at) => at.pathname !== '/sign-in')
  }

  step('it sets up and reports a short or long password at its field', async () => {
    await page.goto(`${url}/setup?token=${await waitForSetupToken(millrace)}`)
    await heading('Set up Millrace')
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('E-mail').fill(ada.email)
    for (const [password, words] of [
      ['eleven char', 'Use 12 characters or more.'],
      ['x'.repeat(129), 'Use 128 characters or fewer.'],
    ] as const) {
      await page.getByLabel('Password', { exact: true }).fill(password)
      await button('Create account').click()
      await page.getByText(words, { exact: true }).waitFor()
    }
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await page.getByLabel('Business').check()
    await page.getByLabel('Organisation').fill('Acme')
    await button('Create account').click()
    // The only workspace opens at once.
    await page.waitForURL(/\/w\//)
    workspace = /\/w\/([0-9a-f-]{36})/.exec(page.url())![1]!
    adaByApi = openPageClient(url)
    await adaByApi.signIn(ada.email, ada.password)
    adaByApi.workspace = workspace
  })

  step('it changes a name and shows it at once', async () => {
    await page.goto(`${url}/w/${workspace}/settings/account`)
    await page.getByLabel('Name', { exact: true }).fill(' ')
    await button('Change name').click()
    await page.getByText('Enter your name.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill(ada.name)
    await button('Change name').click()
    await said('Name changed.')
    await button(`Account of ${ada.name}`).waitFor()
  })

  step('it marks the current session and ends another and all others', async () => {
    const [second, third] = [await browser.page(), await browser.page()]
    await signIn(ada, second)
    await page.reload()
    // The extra session, this one and the second.
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row')
    await page.getByText('This device').waitFor()
    assert.equal(await rows.count(), 4)
    assert.equal(await rows.filter({ hasText: 'This device' }).getByRole('button').count(), 0)
    await examine()
    await rows.filter({ hasNotText: 'This device' }).getByRole('button', { name: 'Sign out Chrome' }).click()
    await said('Signed out.')
    await rows.nth(3).waitFor({ state: 'detached' })
    await second.goto(`${url}/w/${workspace}/settings/account`)
    await heading('Sign in', second)

    await signIn(ada, third)
    await third.goto(`${url}/w/${workspace}/settings/account`)
    await third.getByText('This device').waitFor()
    // Its poll would ask for the password before the change of the name does.
    await third.route(/\/activity\?/, (route) =>
      route.fulfill({ json: { running_jobs: 0, unread_count: 0 } }),
    )
    await button('Sign out everywhere else').click()
    await said('Signed out everywhere else.')
    await rows.nth(2).waitFor({ state: 'detached' })
    await third.getByLabel('Name', { exact: true }).fill('Typed before the end')
    await button('Change name', third).click()
    const dialog = third.getByRole('dialog', { name: 'Sign in to continue' })
    await dialog.getByLabel('Password', { exact: true }).fill('not this one at all')
    await button('Sign in', third).click()
    await dialog.getByText('Wrong e-mail or password.').waitFor()
    await examine(third)
    await dialog.getByLabel('Password', { exact: true }).fill(ada.password)
    await button('Sign in', third).click()
    // The stopped request is repeated.
    await said('Name changed.', third)
    assert.equal(await third.getByLabel('Name', { exact: true }).inputValue(), 'Typed before the end')
    await third.getByLabel('Name', { exact: true }).fill(ada.name)
    await button('Change name', third).click()
    await button(`Account of ${ada.name}`, third).waitFor()
    // A sign-in in another tab, such as through an identity provider, continues too.
    await third.context().clearCookies()
    await third.getByRole('link', { name: 'API keys' }).click()
    await dialog.waitFor()
    const tab = await browser.another(third)
    await signIn(ada, tab)
    await dialog.waitFor({ state: 'detached' })
    await heading('API keys', third)
    assert.deepEqual(browser.failures, [])
    await second.context().close()
    await third.context().close()
    await adaByApi.signIn(ada.email, ada.password)
  })

  step('it changes the address with the password and says that it is not verified', async () => {
    await page.getByText('Millrace sends no e-mail').waitFor()
    await page.getByLabel('New e-mail').fill('ada.brook@acme.example')
    await page.getByLabel('Your password').fill('not the password')
    await button('Change e-mail').click()
    await page.getByText('this is not your password').waitFor()
    await page.getByLabel('Your password').fill(ada.password)
    await button('Change e-mail').click()
    await said('E-mail changed. Sign in as ada.brook@acme.example from now on.')
    ada.email = 'ada.brook@acme.example'
    assert.equal((await adaByApi.get('/session')).status, 401)
    await adaByApi.signIn(ada.email, ada.password)
  })

  const offered: Record<string, Role> = {
    'New source': 'developer',
    'New workflow': 'operator',
    'Run Nightly': 'operator',
    'New key': 'developer',
    Members: 'administrator',
    'Audit log': 'administrator',
    Rename: 'administrator',
    'Run workflow Nightly': 'operator',
    'Settings: Members': 'administrator',
  }
  const COMMANDS = ['New source', 'New workflow', 'Run workflow Nightly', 'Settings: Members']
  const people = new Map<Role, Page>()
  for (const role of ROLES) {
    step(`it offers a ${role} only what the role may do`, async () => {
      if (role === 'viewer') await makeWorkflow()
      const email = `${role}@acme.example`
      await joinWorkspace(adaByApi, url, { email, role, workspace })
      const theirs = await browser.page()
      people.set(role, theirs)
      await signIn({ email, password: PASSWORD }, theirs)
      const found: Record<string, boolean> = {}
      for (const [section, names, shown] of [
        ['connectors', ['New source'], theirs.getByRole('cell', { name: 'Wiki', exact: true })],
        ['workflows', ['New workflow', 'Run Nightly'], theirs.getByRole('button', { name: /^Run Nightly/ })],
        ['keys', ['New key'], button('New key', theirs)],
        [
          'settings/workspace',
          ['Members', 'Audit log', 'Rename'],
          theirs.getByLabel('Name of the workspace'),
        ],
      ] as const) {
        await theirs.goto(`${url}/w/${workspace}/${section}`)
        await shown.first().waitFor()
        await browser.audit(theirs)
        for (const name of names) found[name] = await isOffered(theirs, name)
      }
      await theirs.keyboard.press('Control+k')
      const options = theirs.getByRole('dialog', { name: 'Go to or do' }).getByRole('option')
      await options.filter({ hasText: /^Nightly/ }).waitFor()
      const commands = await options.allInnerTexts()
      for (const name of COMMANDS) found[name] = commands.some((each) => each.startsWith(name))
      const may = Object.entries(offered).map(([name, needed]) => [
        name,
        ROLES.indexOf(role) >= ROLES.indexOf(needed),
      ])
      assert.deepEqual(found, Object.fromEntries(may))
    })
  }

  step('it offers a reader only search, tokens and their account', async () => {
    const email = 'reader@acme.example'
    await joinWorkspace(adaByApi, url, { email, role: 'reader', workspace })
    const theirs = await browser.page()
    await signIn({ email, password: PASSWORD }, theirs)
    await theirs.goto(`${url}/w/${workspace}`)
    await heading('Search', theirs)
    await theirs.getByLabel('Query').waitFor()
    assert.equal(await theirs.getByLabel('Name or account id').count(), 0)
    const links = theirs.getByRole('navigation').getByRole('link')
    assert.deepEqual(await links.allInnerTexts(), ['Search', 'API keys', 'Settings'])
    await browser.audit(theirs)
    await theirs.getByRole('link', { name: 'API keys' }).click()
    await button('New token', theirs).waitFor()
    await browser.audit(theirs)
    await theirs.context().close()
  })

  async function makeWorkflow(): Promise<void> {
    const wiki = { url: 'https://wiki.acme.example', token: 'some-token-1' }
    const index = {
      hosts: ['https://abc.es.eu-west-1.aws.found.io'],
      index_name: 'wiki',
      search_api_key: btoa('id:key'),
    }
    const source = await adaByApi.post<{ id: string }>('/sources', {
      name: 'Wiki',
      type: 'wiki',
      config: wiki,
    })
    const destination = await adaByApi.post<{ id: string }>('/destinations', {
      name: 'Index',
      type: 'searchindex',
      config: index,
    })
    const made = await adaByApi.post('/workflows', {
      name: 'Nightly',
      workflow_type: 'custom',
      source_id: source.body.id,
      destination_id: destination.body.id,
    })
    assert.equal(made.status, 200, made.text)
  }

  /** Present, and enabled. */
  async function isOffered(on: Page, name: string): Promise<boolean> {
    const all: Locator[] = (['button', 'link', 'tab'] as const).map((role) =>
      on.getByRole(role, { name: new RegExp(`^${name}`) }),
    )
    for (const each of all) {
      if ((await each.count()) === 0) continue
      const isDisabled = await each
        .first()
        .evaluate((element) => element.matches('[disabled], [aria-disabled=true], [data-disabled]'))
      if (!isDisabled) return true
    }
    return false
  }

  step('it names whom to ask if a member may not see the members', async () => {
    const viewer = people.get('viewer')!
    await viewer.goto(`${url}/w/${workspace}/settings/members`)
    await viewer.getByText('Only administrators can see and change the members of this workspace.').waitFor()
    await browser.audit(viewer)
  })

  step('it creates a reset link that works once', async () => {
    await page.goto(`${url}/w/${workspace}/settings/members`)
    await button('Create a reset link for viewer@acme.example').click()
    const dialog = page.getByRole('dialog', { name: 'Create a reset link for viewer@acme.example' })
    await dialog.getByText('once within 30 minutes').waitFor()
    await examine()
    await dialog.getByRole('button', { name: 'Create reset link' }).click()
    await copies('the reset link', () => button('Copy the reset link').click())
    const link = await clipboard()
    await examine()

    const forgetful = await browser.page()
    await forgetful.goto(`${url}/sign-in`)
    await forgetful
      .getByText('Forgot your password? Ask an administrator or the service operator for a reset link.')
      .waitFor()
    await examine(forgetful)
    await forgetful.goto(link)
    await heading('Set a new password', forgetful)
    await forgetful.getByText('viewer@acme.example').waitFor()
    await forgetful.getByLabel('New password', { exact: true }).fill('short')
    await button('Set password and sign in', forgetful).click()
    await forgetful.getByText('Use 12 characters or more.', { exact: true }).waitFor()
    await examine(forgetful)
    await forgetful.getByLabel('New password', { exact: true }).fill('remembered this time')
    await button('Set password and sign in', forgetful).click()
    await heading('Start', forgetful)
    const before = people.get('viewer')!
    await before.goto(`${url}/w/${workspace}/keys`)
    await heading('Sign in', before)
    await before.goto(link)
    await heading('This link does not work', before)
    await examine(before)
    await forgetful.context().close()
  })

  step('it shows how many keys end with a role change and ends them', async () => {
    const email = 'developer@acme.example'
    const developer = openPageClient(url)
    await developer.signIn(email, PASSWORD)
    developer.workspace = workspace
    const keys: { key: string }[] = []
    for (const name of ['one', 'two'])
      keys.push((await developer.post<{ key: string }>('/keys', { name })).body)
    const work = async () =>
      (await Promise.all(keys.map(({ key }) => apiOf(url, key).get('/sources')))).map(({ status }) => status)
    assert.deepEqual(await work(), [200, 200])
    await page.getByLabel(`Role of ${email}`).selectOption('Operator')
    const dialog = page.getByRole('dialog', { name: `Change ${email} to Operator` })
    await dialog.getByText(`2 keys created by ${email} work in First workspace.`).waitFor()
    assert.ok(await dialog.getByLabel('Also disable their keys').isChecked())
    await examine()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await settles(() => page.getByLabel(`Role of ${email}`).inputValue(), 'developer')
    await page.getByLabel(`Role of ${email}`).selectOption('Operator')
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await said(`Role of ${email} changed to Operator.`)
    assert.deepEqual(await work(), [401, 401])

    await button(`Remove ${email}`).click()
    const removal = page.getByRole('dialog', { name: `Remove ${email}` })
    await removal.getByText(`No key created by ${email} works in First workspace.`).waitFor()
    await browser.audit(page)
    await removal.getByRole('button', { name: 'Remove member' }).click()
    await said(`${email} is no longer a member.`)
  })

  step('it lets a member leave, but not the last administrator', async () => {
    const operator = people.get('operator')!
    await operator.goto(`${url}/w/${workspace}/settings/workspace`)
    await button('Leave First workspace', operator).click()
    const dialog = operator.getByRole('dialog', { name: 'Leave First workspace' })
    await dialog.getByText('need a new invitation to return').waitFor()
    await examine(operator)
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click()
    await operator.getByText('No workspaces yet').waitFor()
    await examine(operator)

    await page.goto(`${url}/w/${workspace}/settings/account`)
    await button('Leave Acme').click()
    const refused = page.getByRole('dialog', { name: 'Leave Acme' })
    await refused.getByRole('button', { name: 'Leave', exact: true }).click()
    await refused.getByText('you are the last administrator of the organisation').waitFor()
    await browser.audit(page)
    assert.equal((await adaByApi.get<Session>('/session')).body.workspaces.length, 1)
  })

  step('it deletes a workspace whose name is typed, but offers no deletion of the only one', async () => {
    await page.goto(`${url}/w/${workspace}/settings/workspace`)
    await button('Leave First workspace').waitFor()
    assert.equal(await button('Delete First workspace').count(), 0)
    const { id } = (await adaByApi.post<{ id: string }>('/workspaces', { name: 'Doomed' })).body
    await page.goto(`${url}/w/${id}/settings/workspace`)
    await button('Delete Doomed').click()
    const dialog = page.getByRole('dialog', { name: 'Delete Doomed' })
    await dialog.getByText('Indexes keep their elements').waitFor()
    assert.equal(await button('Delete workspace').isDisabled(), true)
    await dialog.getByLabel('Type Doomed to continue').fill('Doomed')
    await examine()
    await button('Delete workspace').click()
    await said('Workspace Doomed deleted.')
    await heading('Choose a workspace')
    assert.equal(await page.getByRole('link', { name: 'Doomed' }).count(), 0)
  })

  step('it speaks the language that the person chooses', async () => {
    const own = await browser.page()
    await signIn(ada, own)
    const language = () => own.evaluate<string>('document.documentElement.lang')
    assert.equal(await language(), 'en')
    await button(`Account of ${ada.name}`, own).click()
    await own.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await button(`Konto von ${ada.name}`, own).waitFor()
    assert.equal(await language(), 'de')
    await button(`Konto von ${ada.name}`, own).click()
    await examine(own)
    await own.getByRole('menuitem', { name: 'Abmelden' }).click()
    await heading('Anmelden', own)
    await examine(own)
    await own.close()
  })

  step('it explains a failed sign-in through an identity provider', async () => {
    await page.goto(`${url}/sign-in?error=linked_to_another`)
    await page.getByText('linked to another identity').waitFor()
    await browser.audit(page)
  })
})
