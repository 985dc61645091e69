import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { finders } from '../world/finders.ts'
import { until } from '../world/flow.ts'
import { openPage, type PageWorld, signIn, viewer } from '../world/page.ts'
import { steps } from '../world/steps.ts'
import { crawler } from '../world/world.ts'

/** Connectors in a browser: created, tested step by step, copied and deleted. */
describe('the page of connectors', () => {
  let { world, browser, page, home, close } = {} as PageWorld
  before(async () => {
    const wiki = { seed: 5, pages: 12, spaces: 3, people: 6, groups: 3 }
    ;({ world, browser, page, home, close } = await openPage({ wiki }))
  })
  after(() => close?.())

  const step = steps()
  const { heading, button, field, said, menu, focused } = finders(() => page)
  const list = (name: string) => page.getByRole('combobox', { name })
  const examine = () => browser.examine(page)

  step('it explains each kind while there is none', async () => {
    await page.goto(`${home}/connectors`)
    await said('No sources yet')
    await examine()
    await page.getByRole('tab', { name: 'Destinations' }).click()
    await said('No destinations yet')
    assert.match(page.url(), /tab=destination/)
    await page.reload()
    await said('No destinations yet')
  })

  step('it builds the form from the schema and reports missing fields', async () => {
    await page.getByRole('tab', { name: 'Sources' }).click()
    await page.getByRole('link', { name: 'New source' }).first().click()
    await said('What do you want to read?')
    await examine()
    await said('Pages of Confluence, Cloud or Data Center')
    await page.getByRole('link', { name: 'Wiki (Confluence)' }).click()
    await heading('New source: Wiki (Confluence)')
    await button('Save and Test').click()
    await said('Address of the wiki is required.')
    await said('API token is required.')
    assert.equal(await focused(), 'name')
    await examine()
  })

  step('it shows only the fields of the chosen sign-in mode', async () => {
    await page.getByLabel('Personal access token').first().check()
    assert.equal(await field('User name').count(), 0)
    assert.equal(await page.getByRole('switch', { name: 'Cloud' }).count(), 0)
    await page.getByLabel('User name and password').check()
    await field('Password').waitFor()
    await page.getByLabel('User name and API token').check()
    await field('API token').waitFor()
  })

  step('it shows errors of the service at their fields', async () => {
    await field('Name').fill('Team wiki')
    await field('User name').fill(crawler.email)
    await field('API token').fill('mistyped')
    await field('Address of the wiki').fill(`${world.wiki.siteUrl}/spaces/ENG`)
    await button('Save and Test').click()
    await said(/is the address of a page or space/)
    await page.locator('[name="config.url"]:focus').waitFor()
  })

  step('it saves and shows the failed step of the test with its fix', async () => {
    await field('Address of the wiki').fill(world.wiki.siteUrl)
    await page.getByRole('switch', { name: 'Cloud' }).check()
    await button('Save and Test').click()
    await heading('Team wiki')
    await said('The connection failed.')
    const steps = page.getByRole('list', { name: 'Steps of the test' }).getByRole('listitem')
    assert.match(
      (await steps.nth(1).textContent()) ?? '',
      /Sign in.*rejected the credentials.*What to do: Check/,
    )
    assert.equal(await steps.nth(0).getByRole('img', { name: 'Passed' }).count(), 1)
    assert.equal(await steps.nth(1).getByRole('img', { name: 'Failed' }).count(), 1)
    await examine()
  })

  step('it never shows a secret again and replaces it', async () => {
    assert.equal((await page.content()).includes('mistyped'), false)
    await button('Replace: API token').click()
    await field('API token').fill(crawler.apiToken)
    await button('Show the spaces').click()
    await said(/The account can see \d+ spaces/)
    await list('Spaces').click()
    await page.getByRole('option').first().click()
    await page.keyboard.press('Escape')
    await button('Save and Test').click()
    await said('The connection works')
    await said(/^1 of \d+ spaces/)
    await examine()
  })

  step('it keeps the secret if none is entered', async () => {
    await page.getByText(/^Advanced/).click()
    await field('Maximum number of spaces').fill('7')
    await button('Save and Test').click()
    // The notices of the previous step look the same, so this waits for the stored state.
    const source = await until(
      async () => (await world.api.get<{ config: Record<string, unknown> }[]>('/sources')).body[0],
      (stored) => stored?.config.max_num_of_spaces === 7,
    )
    assert.equal(source?.config.token, '**********')
    await said('The connection works')
  })

  step('it creates a destination and shows the error of a host at the list', async () => {
    await page.goto(`${home}/connectors/destination/new?type=searchindex`)
    await field('Name').fill('Team search')
    await list('Hosts').fill('http://search.example:9200')
    await page.keyboard.press('Enter')
    await field('API key').fill(world.indexKey)
    await field('Index').fill(world.index)
    await button('Save and Test').click()
    await said(/is not a hosted search service/)
    await list('Hosts').press('Backspace')
    await list('Hosts').fill(world.engine.url)
    await page.keyboard.press('Enter')
    await button('Save and Test').click()
    await heading('Team search')
    await said('The connection works')
  })

  step('it lists connectors with address, workflows and last test', async () => {
    const [source] = (await world.api.get<{ id: string }[]>('/sources')).body
    const [destination] = (await world.api.get<{ id: string }[]>('/destinations')).body
    const body = { name: 'Nightly', source_id: source?.id, destination_id: destination?.id }
    assert.equal((await world.api.post('/workflows', body)).status, 200)
    await page.goto(`${home}/connectors`)
    const row = page.getByRole('row', { name: /Team wiki/ })
    await row.getByText('Nightly').waitFor()
    await row.getByText('Successful').waitFor()
    assert.match((await row.textContent()) ?? '', new RegExp(new URL(world.wiki.siteUrl).host))
    await examine()
  })

  step('it copies everything but the secrets', async () => {
    await menu('Team wiki', 'Duplicate')
    await said('Secrets are not copied')
    assert.equal(await field('Name').inputValue(), 'Team wiki (Copy)')
    assert.equal(await field('User name').inputValue(), crawler.email)
    await button('Save and Test').click()
    await said('API token is required.')
    await field('API token').fill(crawler.apiToken)
    await button('Save and Test').click()
    await heading('Team wiki (Copy)')
    await said('The connection works')
  })

  step('it names workflows that block a deletion and deletes unused connectors', async () => {
    await page.goto(`${home}/connectors`)
    await menu('Team wiki', 'Delete')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('link', { name: 'Nightly' }).waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Delete source' }).count(), 0)
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await menu('Team wiki (Copy)', 'Delete')
    await button('Delete source').click()
    await page.getByText('Team wiki (Copy) deleted.').first().waitFor()
    await page.getByRole('link', { name: 'Team wiki (Copy)' }).waitFor({ state: 'detached' })
  })

  step('it lets a viewer read and names who may edit', async () => {
    const other = await browser.page()
    await signIn(other, world.millrace.url ?? '', await viewer(world, 'vi@acme.example'))
    await other.getByRole('heading', { level: 1, name: 'Choose a workspace' }).waitFor()
    await other.goto(`${home}/connectors`)
    await other.getByText('Your role here is Viewer.').waitFor()
    await browser.examine(other)
    await other.getByRole('link', { name: 'Team wiki' }).click()
    await other.getByRole('heading', { level: 1, name: 'Team wiki' }).waitFor()
    const save = other.getByRole('button', { name: 'Save and Test' })
    assert.equal(await save.isDisabled(), true)
    assert.equal(await other.getByRole('button', { name: 'Test again' }).isDisabled(), true)
    await other.goto(`${home}/workflows`)
    await other.getByText('Your role here is Viewer.').waitFor()
    await browser.examine(other)
  })
})
