import { after, before, describe, test } from 'node:test'
import { finders } from '../world/finders.ts'
import { type Flow, makeFlow, run } from '../world/flow.ts'
import { makeKey, openPage, type PageWorld } from '../world/page.ts'

/** Menus, lists, dialogs, hints and notices meet the same rules as screens. */
describe('overlays of a screen', () => {
  let { world, browser, page, home, close } = {} as PageWorld
  let flow: Flow
  before(async () => {
    const wiki = { seed: 9, pages: 12, spaces: 1, people: 4, groups: 2 }
    ;({ world, browser, page, home, close } = await openPage({ wiki }))
    flow = await makeFlow(world)
    await run(world, flow)
    await makeKey(world, 'Nightly import')
  })
  after(() => close?.())

  const { button, menu, dialog } = finders(() => page)
  const openMenu = async (name: string) => {
    await button(name).click()
    await page.getByRole('menuitem').first().waitFor()
  }

  const above: [name: string, path: () => string, open: () => Promise<unknown>][] = [
    ['the menu of a connector', () => '/connectors', () => openMenu('More actions for wiki')],
    ['the menu of a workflow', () => '/workflows', () => openMenu('More actions for flow')],
    [
      'the question before a deletion',
      () => '/workflows',
      async () => {
        await menu('flow', 'Delete')
        await dialog('Delete the workflow flow').waitFor()
      },
    ],
    [
      'the dialog of a new key',
      () => '/keys',
      async () => {
        await button('New key').click()
        await dialog().waitFor()
      },
    ],
    [
      'a list that is open',
      () => '/jobs',
      async () => {
        await page.getByRole('combobox', { name: 'State' }).click()
        await page.getByRole('option').first().waitFor()
      },
    ],
    [
      'what may be added to a workflow',
      () => `/workflows/${flow.workflowId}?view=steps`,
      () => openMenu('Add a step after Chunker'),
    ],
    [
      'the estimate of a run',
      () => `/workflows/${flow.workflowId}`,
      async () => {
        await button('Run flow').click()
        await dialog('Run flow').getByText('Elements').waitFor()
      },
    ],
    ['the menu of the person', () => '', () => openMenu('Account of ada')],
    [
      'a hint',
      () => '/keys',
      async () => {
        await button('Copy the key Nightly import').hover()
        await page.getByRole('tooltip').waitFor()
      },
    ],
    [
      'a notice',
      () => '/keys',
      async () => {
        await page.getByLabel('Key Nightly import enabled').press('Space')
        await button('Close notice').waitFor()
      },
    ],
  ]
  for (const [name, path, open] of above) {
    test(`it keeps ${name} inside a landmark, named and readable, on a phone too`, async () => {
      await page.goto(home + path())
      await open()
      await browser.examine(page)
    })
  }
})
