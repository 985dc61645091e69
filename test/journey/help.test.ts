import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openBrowser, type WorldBrowser } from '../world/browser.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'

/** As a visitor without an account, in a real browser. */
describe('the help', () => {
  let millrace: Millrace
  let drop: () => Promise<void>
  let browser: WorldBrowser
  before(async () => {
    const database = await migratedDatabase()
    drop = database.drop
    millrace = await startMillrace({ databaseUrl: database.url, role: 'api' })
    browser = await openBrowser(millrace.url ?? '')
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await drop()
    // Throws for a violation of the policy.
    await browser.close()
  })

  test('it leads from all documents to one, and searches them', async () => {
    const page = await browser.page()
    await page.goto(`${millrace.url}/help`)
    await page.getByRole('link', { name: 'Confluence', exact: true }).click()
    await page.getByRole('heading', { name: 'The wiki source' }).waitFor()
    await page.getByRole('searchbox').fill('max_num_of_spaces')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'The wiki source: Settings' }).click()
    await page.waitForURL('**/help/connectors/wiki#settings')
    await page.getByRole('link', { name: 'Open Millrace' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  for (const path of ['/help', '/help/connectors/wiki', '/help/keys', '/help?q=vectors', '/help/none'])
    test(`it can be read in both colours and on a phone: ${path}`, async () => {
      for (const scheme of ['light', 'dark'] as const)
        for (const width of [390, 1280]) {
          const page = await browser.page({ scheme, width, height: 800 })
          await page.goto(millrace.url + path)
          await browser.audit(page)
          const tooWide = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          )
          assert.equal(tooWide, 0, `${scheme} ${width}`)
          const folder = process.env.MILLRACE_SCREENS
          if (folder)
            await page.screenshot({
              path: `${folder}/help${path.replaceAll(/\W+/g, '-')}-${scheme}-${width}.png`,
            })
          await page.context().close()
        }
    })
})
