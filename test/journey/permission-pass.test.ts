import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { NO_ONE_TOKEN } from '../../src/permissions/principals.ts'
import { detailsOf, finish, type JobResult, run, startRun, until } from '../world/flow.ts'
import { withDatabase } from '../world/past-runs.ts'
import { ALL_PEOPLE, inSmallWorld, onlyFor, type SmallWorld } from '../world/small-world.ts'

/** Permission passes: revocations reach search and index apart from content. */

async function startPass({ world, flow }: SmallWorld): Promise<string> {
  const answer = await world.api.post<{ id: string; kind: string }>(
    `/workflows/${flow.workflowId}/sync-permissions`,
  )
  assert.equal(answer.status, 202, answer.text)
  assert.equal(answer.body.kind, 'permissions')
  return answer.body.id
}

const pass = async (setup: SmallWorld): Promise<JobResult> => finish(setup.world, await startPass(setup))

async function bodyReads({ world }: SmallWorld): Promise<number> {
  const requests = await world.wiki.control.requests()
  return requests.filter(({ url }) => /body[.-]/.test(url)).length
}

/** The read clauses of the page's elements in the index. */
const clauses = async (setup: SmallWorld) =>
  (await setup.elements()).map(({ _source }) => _source.metadata.data_source.access)

for (const destination of ['searchindex', 'postgres'] as const)
  test(`it revokes a page, an ancestor and a space in search and ${destination} without reading a body`, () =>
    inSmallWorld(
      async (setup) => {
        const { world, flow, page, ann, open } = setup
        const { control } = world.wiki
        await run(world, flow)
        assert.equal((await setup.bensHits()).length, 1)

        const revocations = [
          {
            revoke: () => control.restrict(page, { read: { users: [ann] } }),
            restore: () => control.restrict(page, { read: {} }),
          },
          {
            revoke: () => control.restrict(open.homepageId, { read: { users: [ann] } }),
            restore: () => control.restrict(open.homepageId, { read: {} }),
          },
          {
            revoke: () => control.setSpacePermissions('OPN', onlyFor(ann)),
            restore: () => control.setSpacePermissions('OPN', ALL_PEOPLE),
          },
        ]
        for (const { revoke, restore } of revocations) {
          await revoke()
          const before = await bodyReads(setup)
          const { details } = await pass(setup)
          assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
          assert.equal(await bodyReads(setup), before)
          assert.deepEqual(await setup.bensHits(), [])
          const [access] = await clauses(setup)
          assert.ok(
            !JSON.stringify(access).includes('all-licensed-users') || Object.keys(access ?? {}).length > 1,
          )
          await restore()
          await pass(setup)
          assert.equal((await setup.bensHits()).length, 1, 'a pass restores access too')
        }
      },
      { destination },
    ))

test('it revokes a membership in search as soon as a pass has read it', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page, ben } = setup
    const { control } = world.wiki
    const group = (await control.truth()).groups.find(({ members }) => !members.includes(ben))
    assert.ok(group)
    await control.addMember(group.name, ben)
    await control.restrict(page, { read: { groups: [group.id] } })
    await run(world, flow)
    assert.equal((await setup.bensHits()).length, 1)
    await control.removeMember(group.name, ben)
    await pass(setup)
    assert.deepEqual(await setup.bensHits(), [])
  }))

test('it revokes a page while a content job embeds for long', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page, ann } = setup
    await run(world, flow)
    const other = await world.wiki.control.createPage({ space: 'OPN', title: 'Slow', body: '<p>slow</p>' })
    await world.wiki.control.fail({ path: 'body[.-]', breaks: 'hang', times: null })
    const content = await startRun(world, flow)
    await until(
      () => world.api.get<{ status: string }>(`/jobs/${content}`),
      ({ body }) => body.status === 'IN_PROGRESS',
    )
    await world.wiki.control.restrict(page, { read: { users: [ann] } })
    const { details } = await pass(setup)
    assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
    assert.deepEqual(await setup.bensHits(), [])
    assert.equal((await world.api.get<{ status: string }>(`/jobs/${content}`)).body.status, 'IN_PROGRESS')
    await world.wiki.control.clearFaults()
    await world.api.post(`/jobs/${content}/cancel`)
    await finish(world, content)
    assert.ok(other)
  }))

test('it adds no document, moves no version, and hides documents that are gone', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    const { control } = world.wiki
    await run(world, flow)
    await control.createPage({ space: 'OPN', title: 'New', body: '<p>walrus</p>' })
    await control.editPage(page, { body: '<p>zebrafish two</p>' })
    await pass(setup)
    assert.deepEqual(await setup.bensHits('walrus'), [])
    const [text = ''] = await setup.bensHits()
    assert.match(text, /zebrafish one/)
    await control.trashPage(page)
    await pass(setup)
    assert.deepEqual(await setup.bensHits(), [])
    assert.equal((await setup.elements()).length, 1, 'the next content job removes it')
    await run(world, flow)
    assert.equal((await setup.elements()).length, 0)
    assert.equal((await setup.bensHits('walrus')).length, 1)
  }))

test('it keeps permission jobs out of the list of jobs', () =>
  inSmallWorld(async (setup) => {
    const { world, flow } = setup
    const { id: content } = await run(world, flow)
    const { id } = await pass(setup)
    const jobs = async (query = '') =>
      (await world.api.get<{ id: string }[]>(`/jobs${query}`)).body.map((job) => job.id)
    assert.deepEqual(await jobs(), [content])
    assert.deepEqual(await jobs('?kind=permissions'), [id])
  }))

test('it starts passes by schedule, and again while a content job runs for long', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page, ann } = setup
    await run(world, flow)
    const due = (minutes: number | null) =>
      withDatabase(world, (db) =>
        sql`update workflows set permissions_minutes = ${minutes}, permissions_due_at = now()`.execute(db),
      )
    await world.wiki.control.restrict(page, { read: { users: [ann] } })
    await due(15)
    await until(
      () => setup.bensHits(),
      (hits) => hits.length === 0,
      120,
    )

    await world.wiki.control.restrict(page, { read: {} })
    await world.wiki.control.createPage({ space: 'OPN', title: 'Slow', body: '<p>slow</p>' })
    await world.wiki.control.fail({ path: 'body', breaks: 'hang', times: null })
    const content = await startRun(world, flow)
    await until(
      () => detailsOf(world, content),
      ({ summary }) => summary.total_docs >= 4,
    )
    await world.wiki.control.restrict(page, { read: { users: [ann] } })
    // Half an hour later, with the schedule off.
    await due(null)
    await withDatabase(world, (db) =>
      sql`update jobs set created_at = now() - interval '10 minutes' where kind = 'permissions'`.execute(db),
    )
    await until(
      async () => {
        // Again and again, because the first pass may still store the time of its listings.
        await withDatabase(world, (db) =>
          sql`update workflow_scopes set listed_at = now() - interval '26 minutes'`.execute(db),
        )
        return setup.bensHits()
      },
      (hits) => hits.length === 0,
      120,
    )
    await world.wiki.control.clearFaults()
    await world.api.post(`/jobs/${content}/cancel`)
    await finish(world, content)
  }))

test('it hides stale spaces in the index, and shows them again after a pass', () =>
  inSmallWorld(async (setup) => {
    const { world, flow } = setup
    await run(world, flow)
    const path = `/workflows/${flow.workflowId}`
    await world.api.put(path, { hide_in_index_after_hours: 1 })
    await withDatabase(world, (db) =>
      sql`update workflow_scopes set proved_at = now() - interval '2 hours'`.execute(db),
    )
    await until(
      () => clauses(setup),
      (all) => all.every((access) => JSON.stringify(access) === JSON.stringify({ c0: [NO_ONE_TOKEN] })),
      120,
    )
    await pass(setup)
    assert.equal((await setup.bensHits()).length, 1)
  }))

test('it applies a revocation in search although the index refuses it, and says so', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page, ann, proxy } = setup
    await run(world, flow)
    proxy.on(({ path }) => (path.includes('_bulk') ? { status: 403, body: { error: 'refused' } } : undefined))
    await world.wiki.control.restrict(page, { read: { users: [ann] } })
    const { details } = await pass(setup)
    assert.equal(details.processing_status, 'COMPLETED_WITH_ERRORS', JSON.stringify(details))
    assert.deepEqual(
      details.warnings.map(({ code }) => code),
      ['permissions_not_written'],
    )
    assert.deepEqual(await setup.bensHits(), [])
    proxy.on(() => undefined)
    await until(
      () => clauses(setup),
      (all) => all.every((access) => access.c1 !== undefined),
      120,
    )
  }))
