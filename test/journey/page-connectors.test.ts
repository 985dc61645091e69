import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe } from 'node:test'
import { finders } from '../world/finders.ts'
import { until } from '../world/flow.ts'
import { keyboard } from '../world/keyboard.ts'
import { addViewer, openPage, type PageWorld, signIn } from '../world/page.ts'
import { settles } from '../world/settled.ts'
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
  const { heading, button, field, choose, showsText, menu, focused, clipboard } = finders(() => page)
  const { to, enter, type, press, waitForFocus } = keyboard(() => page)
  const list = (name: string) => page.getByRole('combobox', { name })
  const examine = () => browser.examine(page)

  step('it explains each kind while there is none', async () => {
    await page.goto(home)
    await page.getByRole('link', { name: 'Connect your own' }).click()
    await heading('Connect your own')
    await page.goto(`${home}/connectors`)
    await showsText('No sources yet')
    await examine()
    await page.getByRole('tab', { name: 'Destinations' }).click()
    await showsText('No destinations yet')
    await page.waitForURL(/tab=destination/)
    await page.reload()
    await showsText('No destinations yet')
  })

  step('it builds the form from the schema and reports missing fields', async () => {
    await page.getByRole('tab', { name: 'Sources' }).click()
    await page.getByRole('link', { name: 'New source' }).click()
    await heading('New source: Wiki (Confluence)')
    await button('Save and test').click()
    await showsText('Address of the wiki is required.')
    await showsText('Personal access token is required.')
    await settles(focused, 'name')
    await examine()
    await button('Address of the wiki is required.').click()
    await settles(focused, 'config.url')
  })

  step('it shows only the fields of the chosen sign-in mode', async () => {
    assert.equal(await field('User name').count(), 0)
    await page.getByLabel('User name and password').check()
    await field('Password').waitFor()
    await page.getByLabel('Personal access token').first().check()
    await page.getByText('Create a personal access token').waitFor()
  })

  step('it follows the address with the kind of wiki and the way to sign in', async () => {
    const isCloud = () => page.getByRole('radio', { name: 'Cloud', exact: true }).isChecked()
    const address = field('Address of the wiki')
    await address.fill('https://acme.atlassian.net/wiki/spaces/ENG/pages/98777/On+call')
    await page.getByLabel('User name and API token').and(page.locator(':checked')).waitFor()
    await address.blur()
    await settles(() => address.inputValue(), 'https://acme.atlassian.net')
    await page.getByText('ENG', { exact: true }).waitFor()
    await settles(isCloud, true)
    await page.getByText('Data Center', { exact: true }).click()
    await page.getByLabel('Personal access token').and(page.locator(':checked')).first().waitFor()
    await address.press('End')
    await address.pressSequentially('/')
    await settles(() => address.inputValue(), 'https://acme.atlassian.net/')
    assert.equal(await isCloud(), false, 'a choice by hand stays')
    await list('Spaces').press('Backspace')
  })

  step('it shows errors of the service at their fields', async () => {
    await field('Name').fill('Team wiki')
    await field('Address of the wiki').fill('ftp://wiki.acme.example')
    await page.getByText('Cloud', { exact: true }).click()
    await field('User name').fill(crawler.email)
    await field('API token').fill('mistyped')
    await button('Save and test').click()
    await showsText(/^Address of the wiki is not an address such as/)
    await page.locator('[name="config.url"]:focus').waitFor()
  })

  step('it saves and shows the failed step of the test with its fix', async () => {
    await field('Address of the wiki').fill(world.wiki.siteUrl)
    await page.getByText('Cloud', { exact: true }).click()
    await button('Save and test').click()
    await heading('Team wiki')
    await showsText('The connection failed.')
    await settles(() => button('Close notice').count(), 0)
    const steps = page.getByRole('list', { name: 'Steps of the test' }).getByRole('listitem')
    assert.match(
      (await steps.nth(1).textContent()) ?? '',
      /Sign in.*rejected the credentials.*What to do: Check/,
    )
    await steps
      .nth(1)
      .getByRole('button', { name: /^Go to the field “(Password|.*[Tt]oken)”$/ })
      .click()
    await page.locator('button[name$=".token"]:focus, button[name$=".password"]:focus').waitFor()
    assert.equal(await steps.nth(0).getByRole('img', { name: 'Passed' }).count(), 1)
    assert.equal(await steps.nth(1).getByRole('img', { name: 'Failed' }).count(), 1)
    await examine()
  })

  step('it never shows a secret again and replaces it', async () => {
    assert.equal((await page.content()).includes('mistyped'), false)
    await button('Replace: API token').click()
    await field('API token').fill(crawler.apiToken)
    await button('Show the spaces').click()
    await showsText(/The account can see \d+ spaces/)
    await list('Spaces').click()
    await page.getByRole('option').first().click()
    await page.keyboard.press('Escape')
    await button('Save and test').click()
    await showsText('The connection works')
    await showsText(/^1 of \d+ spaces/)
    await page.getByRole('link', { name: 'Continue to the first run' }).waitFor()
    await examine()
  })

  step('it keeps the secret if none is entered', async () => {
    await field('Maximum number of spaces').fill('7')
    await button('Save and test').click()
    // The notices of the previous step look the same, so this waits for the stored state.
    const source = await until(
      async () => (await world.api.get<{ config: Record<string, unknown> }[]>('/sources')).body[0],
      (stored) => stored?.config.max_num_of_spaces === 7,
    )
    assert.equal(source?.config.token, '**********')
    await showsText('The connection works')
  })

  step('it creates a destination and shows the error of a host at the list', async () => {
    await page.goto(`${home}/connectors/destination/new?type=searchindex`)
    await field('Name').fill('Team search')
    await list('Hosts').fill('http://search.example:9200')
    await page.keyboard.press('Enter')
    await field('API key').fill(world.indexKey)
    await field('Index').fill(world.index)
    await button('Save and test').click()
    await showsText(/is not a hosted search service/)
    await button('Copy the setting').click()
    await settles(clipboard, 'MILLRACE_ALLOWED_HOSTS=search.example:9200')
    await list('Hosts').press('Backspace')
    await list('Hosts').fill(world.engine.url)
    await page.keyboard.press('Enter')
    await button('Save and test').click()
    await heading('Team search')
    await showsText('The connection works')
    await page.getByRole('link', { name: 'Continue to the first run' }).waitFor()
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
    await showsText('Secrets are not copied')
    assert.equal(await field('Name').inputValue(), 'Team wiki (copy)')
    assert.equal(await field('User name').inputValue(), crawler.email)
    await button('Save and test').click()
    await showsText('API token is required.')
    await field('API token').fill(crawler.apiToken)
    await button('Save and test').click()
    await heading('Team wiki (copy)')
    await showsText('The connection works')
  })

  step('it names workflows that block a deletion and deletes unused connectors', async () => {
    await page.goto(`${home}/connectors`)
    await menu('Team wiki', 'Delete')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('link', { name: 'Nightly' }).waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Delete source' }).count(), 0)
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await menu('Team wiki (copy)', 'Delete')
    await button('Delete source').click()
    await page.getByText('Team wiki (copy) deleted.').first().waitFor()
    await page.getByRole('link', { name: 'Team wiki (copy)' }).waitFor({ state: 'detached' })
  })

  const guideIndex = `guide-${randomUUID()}`
  const address = () => field('Address of the wiki')

  step('it names the setting that allows a refused host, ready to copy', async () => {
    await page.goto(`${home}/connect`)
    await heading('Connect your own')
    await page.getByRole('combobox', { name: 'Use an existing source' }).waitFor()
    await type(address(), 'http://10.1.2.3:8090/display/ENG/Home')
    await type(page.locator('[name="config.token"]'), 'secret')
    await button('Remove: only space ENG').waitFor()
    await press('Enter')
    await showsText(/MILLRACE_ALLOWED_HOSTS=10\.1\.2\.3:8090/)
    await waitForFocus(address())
    await settles(() => address().inputValue(), 'http://10.1.2.3:8090')
    await enter(button('Copy the setting'))
    await settles(clipboard, 'MILLRACE_ALLOWED_HOSTS=10.1.2.3:8090')
    await examine()
  })

  step('it keeps what was typed over a reload, without secrets', async () => {
    await page.reload()
    await heading('Connect your own')
    await settles(() => address().inputValue(), 'http://10.1.2.3:8090')
    const kept = await page.evaluate<string>('JSON.stringify({ ...sessionStorage })')
    assert.match(kept, /10\.1\.2\.3/)
    assert.doesNotMatch(kept, /secret/)
  })

  step('it shortens a pasted page address and connects with a corrected token, by keyboard', async () => {
    const space = (await world.wiki.control.truth()).spaces.find(({ key }) => !key.startsWith('~'))
    const pasted = `${world.wiki.siteUrl}/spaces/${space?.key}/pages/1/Home?x=1`
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`)
    await to(address())
    await press('Control+a', 'Control+v')
    await settles(() => page.evaluate<string>('document.activeElement.value'), world.wiki.siteUrl)
    await to(page.getByRole('radio', { name: 'Data Center', exact: true }))
    await press('ArrowLeft')
    await type(field('User name'), crawler.email)
    await type(field('API token'), 'mistyped')
    await press('Enter')
    await showsText('The connection failed. Nothing is saved')
    assert.equal(await page.getByRole('button', { name: 'Close notice' }).count(), 0)
    const names = async () =>
      (await world.api.get<{ name: string }[]>('/sources')).body.map(({ name }) => name)
    assert.deepEqual(await names(), ['Team wiki'])
    await examine()
    await page.reload()
    await button(`Remove: only space ${space?.key}`).waitFor()
    await type(field('API token'), crawler.apiToken)
    await enter(button('Test and save'))
    await waitForFocus(button('Next'))
    assert.deepEqual(await names(), ['Team wiki', 'Wiki'])
    await page.goto(`${home}/connectors`)
    await enter(page.getByRole('link', { name: 'Connect', exact: true }))
    await showsText('Uses Wiki.')
    await enter(button('Next'))
    await waitForFocus(page.getByRole('heading', { name: 'Destination', exact: true }))
    await page.goBack()
    await waitForFocus(page.getByRole('heading', { name: 'Source', exact: true }))
    await page.goForward()
    await waitForFocus(page.getByRole('heading', { name: 'Destination', exact: true }))
  })

  step('it names the workflow that already joins the two', async () => {
    await choose('Use an existing destination', 'Team search')
    await showsText('The workflow Nightly already copies this source to this destination')
    await examine()
    await page.getByRole('link', { name: 'Open the workflow' }).waitFor()
    await button('Use another destination').click()
  })

  step('it creates the index with a key that may, by keyboard', async () => {
    const privileges = ['read', 'write', 'view_index_metadata', 'manage']
    const key = await world.engine.createApiKey({ indices: [{ names: [guideIndex], privileges }] })
    await page.getByRole('radio', { name: 'PostgreSQL' }).waitFor()
    await page.getByRole('radio', { name: 'Sandbox, with nothing to set up' }).waitFor()
    await page
      .getByRole('radio', { name: 'Elasticsearch and OpenSearch' })
      .and(page.locator(':checked'))
      .waitFor()
    await type(list('Hosts'), world.engine.url)
    await press('Enter')
    await type(field('API key'), key.encoded)
    await type(page.getByRole('textbox', { name: 'Index' }), guideIndex)
    await press('Enter')
    await showsText(/the key may create it/)
    await page.getByText('What will be created').click()
    await showsText(`PUT /${guideIndex}`)
    await examine()
    await enter(button('Create the index for me'))
    await waitForFocus(button('Next'))
    await press('Enter')
    await waitForFocus(page.getByRole('heading', { name: 'First run' }))
  })

  step('it runs the chosen space with its number of pages and ends at the search', async () => {
    await page.reload()
    await page.getByLabel('Only chosen spaces').first().and(page.locator(':checked')).waitFor()
    await showsText(/^Reads /)
    await settles(() => page.getByRole('checkbox', { checked: true }).count(), 1)
    await type(field('Maximum number of pages per space'), '1')
    await examine()
    await enter(button('Start the first run'))
    await page.getByRole('link', { name: 'Search it' }).waitFor({ timeout: 120_000 })
    await waitForFocus(page.getByRole('link', { name: 'Search it' }))
    await showsText(/^Incomplete: /)
    await showsText('The first run has ended')
    await examine()
    await press('Enter')
    const [destination] = (
      await world.api.get<{ id: string; config: { index_name: string } }[]>('/destinations')
    ).body.filter(({ config }) => config.index_name === guideIndex)
    await page.waitForURL(`**/search?*destination=${destination?.id}*`)
  })

  step('it lets a viewer read and names who may edit', async () => {
    const other = await browser.page()
    await signIn(other, world.millrace.url ?? '', await addViewer(world, 'vi@acme.example'))
    // The only workspace opens at once.
    await other.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
    await other.goto(`${home}/connectors`)
    await other.getByText('Your role here is Viewer.').waitFor()
    await browser.examine(other)
    await other.getByRole('link', { name: 'Team wiki' }).click()
    await other.getByRole('heading', { level: 1, name: 'Team wiki' }).waitFor()
    const save = other.getByRole('button', { name: 'Save and test' })
    assert.equal(await save.isDisabled(), true)
    assert.equal(await other.getByRole('button', { name: 'Test again' }).isDisabled(), true)
    await other.goto(`${home}/workflows`)
    await other.getByText('Your role here is Viewer.').waitFor()
    await browser.examine(other)
  })
})
