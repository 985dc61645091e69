import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type Flow, makeFlow, startRun } from '../../test/world/flow.ts'
import { makeKey, openPage, type PageWorld } from '../../test/world/page.ts'
import { demoSvg } from './demo-svg.ts'

/** Makes the pictures of the README again: `npm run pictures`. */
const docs = join(import.meta.dirname, '..')

describe('pictures of the README', () => {
  let { world, page, home, close } = {} as PageWorld
  let flow: Flow
  before(async () => {
    const wiki = { seed: 9, pages: 3000, spaces: 4, people: 12, groups: 5 }
    ;({ world, page, home, close } = await openPage({ wiki }))
    flow = await makeFlow(world)
    await makeKey(world, 'Nightly import')
    await page.setViewportSize({ width: 1280, height: 800 })
  })
  after(() => close?.())

  async function take(name: string, path: string, ready: () => Promise<void>): Promise<void> {
    await page.goto(home + path)
    await ready()
    await page.screenshot({ path: join(docs, `page/${name}.png`), fullPage: true })
  }

  test('a job while it runs', async () => {
    const id = await startRun(world, flow)
    await take('job', `/jobs/${id}`, async () => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      // Long enough for the throughput to have a shape.
      await page.waitForTimeout(6000)
    })
  })

  test('a workflow with the settings of its chunker', async () => {
    await take('workflow', `/workflows/${flow.workflowId}`, async () => {
      await page.waitForLoadState('networkidle')
      await page.locator('.react-flow__node').filter({ hasText: /chunk/i }).first().click()
      await page
        .getByText(/max_characters|Longest|characters/i)
        .first()
        .waitFor()
    })
  })

  test('a connector and its test', async () => {
    await take('connector', `/connectors/source/${flow.sourceId}`, async () => {
      await page
        .getByRole('button', { name: 'Test again' })
        .or(page.getByRole('button', { name: 'Test', exact: true }))
        .first()
        .click()
      await page
        .getByText(/The connection works/)
        .first()
        .waitFor()
    })
  })

  test('keys and snippets', async () => {
    await take('keys', '/keys', async () => {
      await page.getByText('Nightly import').first().waitFor()
      await page.waitForLoadState('networkidle')
    })
  })

  test('the demo', async () => {
    const demo = join(docs, '../demo/demo.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [demo, '--once'], { timeout: 200_000 })
    assert.match(stdout, /201 of 201/)
    const shown = stdout.replace(/\n *Stopping …[\s\S]*$/, '\n')
    const label =
      'npm run demo: 201 pages carried, then the same three searches as two people with different results'
    writeFileSync(join(docs, 'demo.svg'), demoSvg(shown, label))
  })
})
