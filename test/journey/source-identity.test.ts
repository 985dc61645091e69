import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finish, run, startRun, until } from '../world/flow.ts'
import { ALL_PEOPLE, inSmallWorld, type SmallWorld } from '../world/small-world.ts'

/** What was proved for one site, space or account never applies to another. */

/** Content jobs stop between the listing and the first text. */
const BODIES = { path: 'body-format=storage', isHeld: true, times: null }

async function hitsOf({ world, flow }: SmallWorld, user: string, query: string): Promise<string[]> {
  await world.destination.refresh()
  const { status, body, text } = await world.api.post<{ hits: { text: string }[] }>(
    `/destinations/${flow.destinationId}/search`,
    { query, as: { user }, size: 50 },
  )
  assert.equal(status, 200, text)
  return body.hits.map((hit) => hit.text).filter((each) => each.includes(query))
}

/** Waits until the job has listed the source. */
async function listed({ world }: SmallWorld, jobId: string): Promise<void> {
  const pending = async () =>
    (await world.api.get<{ items: unknown[] }>(`/jobs/${jobId}/documents?state=in_progress`)).body.items
  await until(pending, (items) => items.length > 0)
}

type Known = { workflows: { permissions: { everyone: string | null; status: string } }[] }

/** What search knows about a document now, before the index follows. */
async function permissionsOf({ world }: SmallWorld, pageId: string) {
  const record_id = `${new URL(world.wiki.siteUrl).host}/${pageId}`
  const { status, body, text } = await world.api.get<Known>(
    `/documents?${new URLSearchParams({ record_id })}`,
  )
  assert.equal(status, 200, text)
  return body.workflows[0]!.permissions
}

test('it shows no page of a deleted space to readers of a new space with its key', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, ann, ben } = setup
    const { control } = world.wiki
    const old = await control.createPage({ space: 'SEC', title: 'Pay', body: '<p>walrus salaries</p>' })
    await run(world, flow)
    assert.equal((await hitsOf(setup, ann, 'walrus')).length, 1)

    await control.deleteSpace('SEC')
    await control.addSpace({ key: 'SEC', name: 'Second', permissions: ALL_PEOPLE })
    await control.createPage({ space: 'SEC', title: 'Canteen', body: '<p>walrus canteen</p>' })
    await control.fail(BODIES)
    const job = await startRun(world, flow)
    await listed(setup, job)
    assert.equal((await permissionsOf(setup, old)).everyone, null)
    assert.deepEqual(await hitsOf(setup, ben, 'walrus'), [])
    await control.clearFaults()
    await finish(world, job)
    const hits = await hitsOf(setup, ben, 'walrus')
    assert.equal(hits.length, 1)
    assert.match(hits[0]!, /canteen/)
  }))
