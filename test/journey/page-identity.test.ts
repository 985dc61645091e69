import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { makeFlow } from '../world/flow.ts'
import { type Issuer, startIssuer } from '../world/issuer.ts'
import { openPage, type PageWorld } from '../world/page.ts'
import { steps } from '../world/steps.ts'
import { accounts } from '../world/wiki/accounts.ts'

/** The identity settings in a real browser, and linking an own account. */
describe('identities on the page', () => {
  let { world, browser, page, home, close } = {} as PageWorld
  let issuer: Issuer
  before(async () => {
    issuer = await startIssuer()
    const wiki = { seed: 43, pages: 2, spaces: 1, people: 3, groups: 1 }
    const env = { MILLRACE_ALLOWED_HOSTS: '127.0.0.1' }
    ;({ world, browser, page, home, close } = await openPage({ wiki, env, role: 'api' }))
    await world.wiki.control.addPerson({ accountId: '557058:ann', name: 'Ann', email: 'ann@acme.example' })
    const hidden = { accountId: '557058:hidden', name: 'Hidden', emailVisible: false }
    await world.wiki.control.addPerson(hidden)
    await makeFlow(world)
  })
  after(async () => {
    await issuer?.stop()
    await close?.()
  })

  const step = steps()
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const said = (text: string) => page.getByText(text).first().waitFor({ state: 'attached' })
  const testToken = async (claims: object) => {
    await page.getByLabel('Token', { exact: true }).fill(issuer.accessToken({ ...claims }))
    await button('Test token').click()
  }
  const ann = { aud: 'search', sub: 'ann', email: 'ann@acme.example', email_verified: true }

  step('it saves the settings and shows errors at their fields', async () => {
    await page.goto(`${home}/settings/identity`)
    await button('Save settings').click()
    await said('Enter the address of the issuer.')
    await page.getByLabel('Issuer').fill('https://10.0.0.1')
    await page.getByLabel('Audience').fill('search')
    await button('Save settings').click()
    await page.getByText(/issuer cannot be used/i).waitFor()
    await page.getByLabel('Issuer').fill(issuer.url)
    await button('Save settings').click()
    await said('Identity settings saved.')
    await button('Remove settings').waitFor()
  })

  step('it reads addresses from the source and shows who a token is', async () => {
    await testToken({ ...ann, aud: 'another' })
    await page.getByText(/meant for another audience/).waitFor()
    await testToken(ann)
    await page.getByText(/no identity of this source has this value/).waitFor()
    await button('Read addresses from the source').click()
    await said('with a visible address.')
    await page.getByRole('cell', { name: 'ann@acme.example', exact: true }).waitFor()
    await testToken(ann)
    await page.getByRole('table', { name: 'Accounts of this person' }).getByText('557058:ann').waitFor()
    await page.getByText('matched', { exact: true }).waitFor()
    await page.getByRole('table', { name: 'Accounts without a person' }).getByText('557058:hidden').waitFor()
    await browser.examine(page)
  })

  step('it imports a table, names wrong lines, and deletes a row', async () => {
    const choose = async (text: string) => {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Import CSV').click()])
      await chooser.setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    }
    await choose('email,account\nno address,557058:x\n')
    await page.getByText(/line 2: email is not an e-mail address/i).waitFor()
    await choose('email,account\nann@acme.example,557058:x\n')
    await said('One identity imported.')
    await page.getByText('several accounts').first().waitFor()
    await browser.examine(page)
    const rows = page.getByRole('table', { name: 'Identities' }).getByRole('row')
    await rows
      .filter({ hasText: '557058:x' })
      .getByRole('button', { name: /^Delete the identity/ })
      .click()
    await button('Delete identity').click()
    await said('Identity deleted.')
    await rows.filter({ hasText: '557058:x' }).waitFor({ state: 'detached' })
  })

  step('it links the own account and unlinks it', async () => {
    await page.goto(`${home}/settings/account`)
    await button('Link your account in wiki').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('User name').fill(accounts.member.email)
    await dialog.getByLabel('Token', { exact: true }).fill('wrong')
    await button('Sign in and link').click()
    await dialog.getByText('The source rejected these credentials.').waitFor()
    await browser.examine(page)
    await dialog.getByLabel('Token', { exact: true }).fill(accounts.member.apiToken)
    await button('Sign in and link').click()
    await said('Account in wiki linked.')
    await page.getByText('linked by you').waitFor()
    await browser.examine(page)
    await button('Unlink your account in wiki').click()
    await said('Account unlinked.')
  })

  step('it says after creating a token that no account is linked, and links it there', async () => {
    await page.goto(`${home}/keys`)
    await button('New token').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Laptop')
    await button('Create token').click()
    await dialog.getByText('You have no account in wiki').waitFor()
    await browser.examine(page)
    await button('Link your account in wiki').click()
    await dialog.getByLabel('User name').fill(accounts.member.email)
    await dialog.getByRole('textbox', { name: 'Token' }).last().fill(accounts.member.apiToken)
    await button('Sign in and link').click()
    await dialog.getByText('You have no account in wiki').waitFor({ state: 'detached' })
    await button('Done').click()
  })

  step('it removes the settings', async () => {
    await page.goto(`${home}/settings/identity`)
    await button('Remove settings').click()
    const changes: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/identity') && request.method() !== 'GET')
        changes.push(request.method())
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Remove settings' }).click()
    await said('Identity settings removed.')
    // It has a button of the same name.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await button('Remove settings').waitFor({ state: 'detached' })
    assert.deepEqual(changes, ['DELETE'])
  })
})
