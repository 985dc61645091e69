import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type Flow, finish, makeFlow, startRun } from '../../test/world/flow.ts'
import { makeKey, openPage, type PageWorld } from '../../test/world/page.ts'
import { demoSvg } from './demo-svg.ts'

type Tried = {
  destination_id: string
  workflow_id: string
  job_id: string
  people: { id: string; query: string }[]
}

/** Renews the pictures of the README: `npm run pictures`. */
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
    // A long list would fill the README.
    await page.screenshot({ path: join(docs, `page/${name}.png`), fullPage: name !== 'lab' })
  }

  test('a job while it runs', async () => {
    const id = await startRun(world, flow)
    await take('job', `/jobs/${id}`, async () => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      // Long enough for a throughput curve.
      await page.waitForTimeout(6000)
    })
  })

  test('a search as two people, a document and a workflow', async () => {
    const { body: tried } = await world.api.post<Tried>('/samples/try')
    await finish(world, tried.job_id)
    const [first = assert.fail(), second = assert.fail()] = tried.people
    const search = `destination=${tried.destination_id}&query=${encodeURIComponent(first.query)}`
    await page.setViewportSize({ width: 1280, height: 1000 })
    await take('lab', `/search?${search}&user=${first.id}&user2=${second.id}`, async () => {
      await page.getByText('Stopped').first().click()
      await page
        .getByText(/Stopped by/)
        .first()
        .waitFor()
      await page.waitForLoadState('networkidle')
      await page.evaluate('scrollTo(0, 0)')
    })
    await page.setViewportSize({ width: 1280, height: 800 })
    const { body: found } = await world.api.post<{ hits: { record_id: string }[] }>(
      `/destinations/${tried.destination_id}/search`,
      { query: first.query, as: { user: first.id } },
    )
    const [hit = assert.fail()] = found.hits
    await take('document', `/documents?record=${encodeURIComponent(hit.record_id)}`, async () => {
      await page
        .getByText(/Readable by/)
        .first()
        .waitFor()
      await page.waitForLoadState('networkidle')
    })
    await take('workflow', `/workflows/${tried.workflow_id}`, () => page.waitForLoadState('networkidle'))
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
      'npm run demo: 201 pages copied, then the same three searches as two people with different results'
    writeFileSync(join(docs, 'demo.svg'), demoSvg(shown, label))
  })
})
