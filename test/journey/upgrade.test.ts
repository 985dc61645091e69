import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { sql } from 'kysely'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import { assertAgreement } from '../world/agreement.ts'
import { type EarlierRelease, openEarlierRelease } from '../world/earlier-release.ts'
import { detailsOf, finish, run, until } from '../world/flow.ts'
import { onlyFor } from '../world/small-world.ts'
import { steps } from '../world/steps.ts'

/** Today's code starts on a dump of the release before the wanted state. */
describe('an upgrade of a database with an active job', () => {
  const step = steps()
  let release: EarlierRelease
  let db: Database
  const isInFlow = ({ spaceKey }: { spaceKey: string }) => ['QUA', 'ANN'].includes(spaceKey)
  before(async () => {
    release = await openEarlierRelease()
    const { world } = release
    // Listings wait, so that the first searches come before any scope is covered.
    await world.wiki.control.fail({ path: '/spaces/\\d+/pages', isHeld: true, times: null })
    await world.restart()
    db = openDatabase(world.databaseUrl)
  })
  after(async () => {
    await closeDatabase(db)
    await release.world.close()
  })

  const titles = async (user: string) => {
    const { world, flow } = release
    const answer = await world.api.post<{ hits: { title: string }[] }>(
      `/destinations/${flow.destinationId}/search`,
      { query: 'quagga', as: { user }, size: 50 },
    )
    assert.equal(answer.status, 200, answer.text)
    return [...new Set(answer.body.hits.map(({ title }) => title))].sort()
  }
  const coveredScopes = async () =>
    (await sql<{ scope: string }>`select scope from workflow_scopes where covered order by scope`.execute(db))
      .rows
  const PAGES = ['Page 1', 'Page 2', 'Page 3', 'Page 4', 'Page 5']

  step('it lets the permissions in the index decide until a pass covers a scope', async () => {
    const { world, ann, ben } = release
    assert.deepEqual(await coveredScopes(), [])
    await world.wiki.control.setSpacePermissions('QUA', onlyFor(ann))
    assert.deepEqual(await titles(ben), PAGES, 'the revocation is not read yet')
    assert.deepEqual(await titles(ann), ['Of Ann', ...PAGES])
    assert.deepEqual(await coveredScopes(), [], 'no listing ended before these searches')
  })

  step('it stops the job of the earlier release with a reason', async () => {
    const { world, jobId } = release
    const { body } = await world.api.get<{ status: string }>(`/jobs/${jobId}`)
    const { processing_status: status, message } = await detailsOf(world, jobId)
    assert.deepEqual([body.status, status], ['STOPPED', 'STOPPED'])
    assert.match(message ?? '', /run (it|the workflow) again/i)
  })

  step('it gives the workflow a permission pass at its first start', async () => {
    const { world, flow, ben } = release
    await world.wiki.control.clearFaults()
    const passes = () =>
      world.api.get<{ id: string; workflow_id: string }[]>(
        `/jobs?kind=permissions&workflow_id=${flow.workflowId}`,
      )
    const { body } = await until(passes, ({ body }) => body.length > 0)
    assert.equal((await finish(world, body[0]!.id)).details.processing_status, 'SUCCESS')
    assert.deepEqual(
      (await coveredScopes()).map(({ scope }) => scope),
      ['ANN', 'QUA'],
    )
    assert.deepEqual(await titles(ben), [])
  })

  step('it keeps the schedule, the key and the finished job', async () => {
    const { world, flow, jobId } = release
    const workflow = await world.api.get<{
      schedule: { crontab_entries: unknown[] }
      next_run_at: string | null
    }>(`/workflows/${flow.workflowId}`)
    assert.equal(workflow.body.schedule.crontab_entries.length, 1, workflow.text)
    assert.ok(new Date(workflow.body.next_run_at ?? 0).getTime() > Date.now(), workflow.text)
    const jobs = await world.api.get<{ id: string; status: string }[]>(`/jobs?workflow_id=${flow.workflowId}`)
    const finished = jobs.body.filter(({ id }) => id !== jobId)
    assert.deepEqual(
      finished.map(({ status }) => status),
      ['COMPLETED'],
      jobs.text,
    )
  })

  step('it writes the wiki as it is now with the next run', async () => {
    const { world, flow, jobId } = release
    await finish(world, jobId)
    const { details } = await run(world, flow)
    assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
    await assertAgreement(world, { only: isInFlow })
  })
})
