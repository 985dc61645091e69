import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { contents } from '../world/agreement.ts'
import { finders } from '../world/finders.ts'
import { type Flow, makeFlow, PLAIN_NODES, run } from '../world/flow.ts'
import { openPage, type PageWorld } from '../world/page.ts'
import { INDEX_PRIVILEGES } from '../world/search-engine/attach.ts'
import { createIndex, type World } from '../world/world.ts'

const all = 'b0000000-0000-4000-8000-00000000000a'
const few = 'b0000000-0000-4000-8000-00000000000b'
const ann = '557058:b1111111-1111-4111-8111-111111111111'
const ben = '557058:b2222222-2222-4222-8222-222222222222'

/** Two people ask the same question, and the page explains why one does not find a page. */
describe('the page of search', () => {
  let { world, browser, page, home, close } = {} as PageWorld
  let hidden: string
  let flow: Flow
  before(async () => {
    const wiki = { seed: 11, pages: 10, spaces: 1, people: 4, groups: 2 }
    ;({ world, browser, page, home, close } = await openPage({ wiki }))
    ;({ hidden, flow } = await furnish(world))
  })
  after(() => close?.())

  const { button } = finders(() => page)
  const examine = () => browser.examine(page)
  const column = (who: string) => page.getByRole('region', { name: `Results for ${who}` })
  const titles = (who: string) => column(who).getByRole('link').allInnerTexts()

  test('it says that searches are audited and requires a query and a person', async () => {
    await page.goto(`${home}/search`)
    await page.getByText('The audit log records every search and explanation').waitFor()
    await button('Search').click()
    await page.getByText('Enter a query').waitFor()
    await page.getByText('Enter a person or at least one group').waitFor()
    assert.equal(await page.evaluate('document.activeElement.name'), 'query')
    await examine()
  })

  test('it shows hits with the grants and the reason', async () => {
    await page.getByLabel('Query').fill('zebra')
    await page.getByRole('combobox', { name: 'account id' }).fill(ann)
    await page.getByLabel('Space key').fill('ZEB')
    await page.keyboard.press('Enter')
    await column(ann).getByRole('link').first().waitFor()
    assert.deepEqual((await titles(ann)).map((each) => each.trim()).sort(), [
      'Below the few',
      'Zebras for all',
      'Zebras for few',
    ])
    assert.equal(await page.locator('mark', { hasText: 'zebra' }).first().innerText(), 'zebra')
    // Text of a page is never treated as markup.
    await column(ann).getByText('<img src=x onerror=alert(1)>').waitFor()
    assert.equal(await page.locator('img[src=x]').count(), 0)
    await column(ann).getByText(few).first().waitFor()
    await button('Why is Below the few shown?').click()
    await column(ann).getByText('This person may read it. Every level allows access.').waitFor()
    const levels = column(ann)
      .getByRole('list', { name: 'Levels from the space down to the page' })
      .getByRole('listitem')
    assert.match(
      (await levels.allInnerTexts()).join('\n'),
      /space Zebras[\s\S]*parent page Zebras for few[\s\S]*page Below the few/,
    )
    await examine()
  })

  test('it keeps the search in its address', async () => {
    const address = page.url()
    await page.goto(`${home}/search`)
    await page.goto(address)
    await column(ann).getByRole('link').first().waitFor()
    assert.equal(await page.getByRole('combobox', { name: 'account id' }).inputValue(), ann)
    assert.equal(await page.getByLabel('Query').inputValue(), 'zebra')
  })

  test('it compares two people', async () => {
    await page.getByLabel('Compare two people').press('Space')
    await page
      .getByRole('group', { name: 'Second person' })
      .getByRole('combobox', { name: 'account id' })
      .fill(ben)
    await button('Search').click()
    await column(ben).getByRole('link').first().waitFor()
    assert.deepEqual(
      (await titles(ben)).map((each) => each.trim()),
      ['Zebras for all'],
    )
    await column(ann).getByText('Only for this person').first().waitFor()
    assert.equal(await column(ann).getByText('Only for this person').count(), 2)
    await examine()
  })

  test('it explains by level why one person does not find a page', async () => {
    await page
      .getByLabel('Record id or address of the document')
      .fill(`${world.wiki.siteUrl}/wiki/spaces/ZEB/pages/${hidden}`)
    await button('Explain').click()
    await page
      .getByText('This person may not read it. The parent page Zebras for few denies access.')
      .waitFor()
    await page.getByText('This person may read it. Every level allows access.').waitFor()
    await examine()
    await page.getByLabel('Record id or address of the document').fill('wiki.example/1')
    await button('Explain').click()
    await page.getByText('This destination has never received this document.').first().waitFor()
    await page.getByLabel('Record id or address of the document').fill('https://wiki.example/wiki/home')
    await button('Explain').click()
    await page.getByText('This address contains no document id').waitFor()
  })

  test('it searches as a member of groups and reports no match', async () => {
    await page.goto(`${home}/search`)
    await page.getByLabel('Query').fill('zebra')
    await page.getByLabel('Groups').fill(`${all}, nobodies`)
    await button('Search').click()
    await column('a member of 2 groups')
      .getByRole('link', { name: /^Zebras for all/ })
      .waitFor()
    await page.getByLabel('Space key').fill('NONE')
    await button('Search').click()
    await page.getByText('No results that this person may read.').waitFor()
  })

  test('it logs every search in the audit log', async () => {
    await page.goto(`${home}/settings/audit`)
    await page
      .getByRole('cell', { name: /search as/ })
      .first()
      .waitFor()
    await page
      .getByRole('cell', { name: /explain as/ })
      .first()
      .waitFor()
  })

  test('it verifies an index and repairs differences', async () => {
    await page.goto(`${home}/connectors/destination/${flow.destinationId}`)
    const panel = page.getByRole('region', { name: 'Contents of the index', exact: true })
    await panel.getByRole('button', { name: 'Compare' }).click()
    await panel.getByText('The index holds exactly what was written').waitFor()
    assert.equal(await panel.getByRole('button', { name: 'Repair' }).count(), 0)

    const gone = (await contents(world)).find(({ _source }) => _source.text.includes('grazes'))
    await admin(`_doc/${gone?._id}?refresh=true`, 'DELETE')
    const stray = { record_id: 'stray', element_id: 'stray', text: 'x' }
    await admin('_doc/stray?refresh=true', 'PUT', stray)
    await panel.getByRole('button', { name: 'Compare' }).click()
    await panel.getByText('The index differs: 1 element missing or changed, 0 unexpected.').waitFor()
    await panel.getByText('It also holds 1 element from other programs').waitFor()
    await panel.getByRole('table', { name: 'Documents that differ' }).getByText('Missing').waitFor()
    await examine()
    await panel.getByRole('button', { name: 'Repair' }).click()
    const dialog = page.getByRole('dialog', { name: 'Repair the index' })
    await dialog.getByText('writes the documents of 1 missing or changed element again').waitFor()
    await examine()
    await dialog.getByRole('button', { name: 'Repair' }).click()
    await page.getByRole('link', { name: 'Open the job' }).click()
    await page.locator('h1 ~ span', { hasText: 'Successful' }).waitFor()
    await page.goBack()
    await panel.getByRole('button', { name: 'Compare' }).click()
    await panel.getByText('The index holds exactly what was written').waitFor()
  })

  test('it lists an index that a swap replaced and deletes it', async () => {
    const alias = `${world.index}-alias`
    await createIndex(world.engine, `${alias}-first`, { aliases: { [alias]: { is_write_index: true } } })
    const { encoded } = await world.engine.createApiKey({
      indices: [{ names: [alias, `${alias}-*`], privileges: INDEX_PRIVILEGES }],
    })
    const swapping = await makeFlow(world, {
      suffix: ' swapping',
      destination: { hosts: [world.engine.url], index_name: alias, search_api_key: encoded },
      workflow: { swap_index: true },
    })
    await run(world, swapping)
    const [partition] = PLAIN_NODES
    await world.api.put(`/workflows/${swapping.workflowId}`, { workflow_nodes: [partition] })
    assert.equal((await run(world, swapping)).details.processing_status, 'SUCCESS')
    await page.goto(`${home}/connectors/destination/${swapping.destinationId}`)
    const panel = page.getByRole('region', { name: 'Replaced indexes', exact: true })
    await panel.getByRole('cell', { name: `${alias}-first`, exact: true }).waitFor()
    await examine()
    await panel.getByRole('button', { name: `Delete the index ${alias}-first` }).click()
    const dialog = page.getByRole('dialog', { name: `Delete the index ${alias}-first` })
    await dialog.getByRole('button', { name: 'Delete index' }).click()
    await panel.waitFor({ state: 'detached' })
    assert.equal((await world.engine.adminFetch(`/${alias}-first`)).status, 404)
    const names = Object.keys((await (await world.engine.adminFetch(`/_alias/${alias}`)).json()) as object)
    for (const name of names) await world.engine.adminFetch(`/${name}`, { method: 'DELETE' })
  })

  async function admin(path: string, method: string, body?: object): Promise<void> {
    const answer = await world.engine.adminFetch(`/${world.index}/${path}`, {
      method,
      ...(body ? { body } : {}),
    })
    assert.ok(answer.ok, await answer.text())
  }
})

/** Zebras for all, zebras for few, and a page below those. Returns the id of the last. */
async function furnish(world: World): Promise<{ hidden: string; flow: Flow }> {
  const { control } = world.wiki
  for (const [accountId, name] of [
    [ann, 'Ann'],
    [ben, 'Ben'],
  ] as const)
    await control.addPerson({ accountId, name })
  await control.addGroup({ id: all, name: 'all of us', members: [ann, ben] })
  await control.addGroup({ id: few, name: 'the few', members: [ann] })
  const read = { key: 'read', targetType: 'space' } as const
  await control.addSpace({
    key: 'ZEB',
    name: 'Zebras',
    permissions: [{ principal: { type: 'group', id: all }, operation: read }],
  })
  await control.createPage({
    space: 'ZEB',
    title: 'Zebras for all',
    body: '<p>The striped zebra grazes near &lt;img src=x onerror=alert(1)&gt; on the plain.</p>',
  })
  const tree = await control.createPage({
    space: 'ZEB',
    title: 'Zebras for few',
    body: '<p>The hidden zebra sleeps in the cave.</p>',
  })
  await control.restrict(tree, { read: { groups: [few] } })
  const below = await control.createPage({
    space: 'ZEB',
    parentId: tree,
    title: 'Below the few',
    body: '<p>Another hidden zebra below.</p>',
  })
  const flow = await makeFlow(world)
  assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
  await world.engine.adminFetch(`/${world.index}/_refresh`, { method: 'POST' })
  return { hidden: below, flow }
}
