import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { pruneOldPasses } from '../../src/store/jobs/old-runs.ts'
import { assertRefused, okBody } from '../world/answers.ts'
import { type Flow, finish, makeFlow, run, startRun, until } from '../world/flow.ts'
import { addOtherWorkspace, type OtherWorkspace } from '../world/other-workspace.ts'
import { withDatabase } from '../world/past-runs.ts'
import { settles } from '../world/settled.ts'
import { openWorld, type World } from '../world/world.ts'

type Workflow = {
  permissions_schedule: string
  max_permission_age_hours: number | null
  hide_in_index_after_hours: number | null
}
type Job = {
  id: string
  kind: string
  status: string
  job_type: string
  workflow_id: string
  started_by: { kind: string }
}
type Freshness = {
  scopes: { scope: string; proved_at: string | null; age_seconds: number | null; status: string }[]
  oldest: string | null
}

describe('permission passes through the API', () => {
  let world: World
  let flow: Flow
  let other: OtherWorkspace
  before(async () => {
    world = await openWorld({ wiki: { seed: 31, pages: 12, spaces: 2, people: 6, groups: 2 } })
    flow = await makeFlow(world)
    other = await addOtherWorkspace(world.databaseUrl)
  })
  after(() => world.close())

  const path = () => `/workflows/${flow.workflowId}`
  const freshness = async () => okBody(await world.api.get<Freshness>(`${path()}/freshness`))
  const change = (body: object) => world.api.put<Workflow>(path(), body)
  const jobs = async (query = '') => okBody(await world.api.get<Job[]>(`/jobs${query}`))
  const syncPermissions = async () => {
    const { status, body, text } = await world.api.post<Job>(`${path()}/sync-permissions`)
    assert.equal(status, 202, text)
    return body
  }

  /** The changes of the schedule make a pass due at once. */
  const postponePasses = () =>
    withDatabase(world, (db) =>
      sql`update workflows set permissions_due_at = now() + interval '1 hour'`.execute(db),
    )

  describe('the settings of a workflow', () => {
    after(postponePasses)
    const settings = ({
      permissions_schedule,
      max_permission_age_hours,
      hide_in_index_after_hours,
    }: Workflow) => [permissions_schedule, max_permission_age_hours, hide_in_index_after_hours]

    test('it reads permissions every 15 minutes and hides them after a day by default', async () => {
      assert.deepEqual(settings(okBody(await world.api.get<Workflow>(path()))), [
        'every 15 minutes',
        24,
        null,
      ])
    })

    test('it changes what a request names and keeps the rest', async () => {
      for (const [body, expected] of [
        [{ permissions_schedule: 'every 1 minute' }, ['every 1 minute', 24, null]],
        [{ permissions_schedule: ' Every 1440 minutes' }, ['every 1440 minutes', 24, null]],
        [{ max_permission_age_hours: 0.5 }, ['every 1440 minutes', 0.5, null]],
        [{ hide_in_index_after_hours: 48 }, ['every 1440 minutes', 0.5, 48]],
        [{ name: 'flow' }, ['every 1440 minutes', 0.5, 48]],
        [{ max_permission_age_hours: null }, ['every 1440 minutes', null, 48]],
        [{ permissions_schedule: 'off', hide_in_index_after_hours: null }, ['off', null, null]],
        [
          { permissions_schedule: 'every 15 minutes', max_permission_age_hours: 24 },
          ['every 15 minutes', 24, null],
        ],
      ] as const) {
        assert.deepEqual(settings(okBody(await change(body))), expected)
        assert.deepEqual(settings(okBody(await world.api.get<Workflow>(path()))), expected)
      }
    })

    test('it refuses wrong values and names the field', async () => {
      for (const [field, values] of Object.entries({
        permissions_schedule: [
          '',
          'every 0 minutes',
          'every 1441 minutes',
          'every 1.5 minutes',
          'daily',
          5,
          null,
          [],
        ],
        max_permission_age_hours: [0, -1, '24', true, 1e300, []],
        hide_in_index_after_hours: [0, -0.1, 'never', {}],
      }))
        for (const value of values) {
          const body = { [field]: value }
          for (const answer of [
            await change(body),
            await world.api.post('/workflows', { name: randomUUID(), ...body }),
          ]) {
            assert.equal(answer.status, 422, `${JSON.stringify(body)}: ${answer.text}`)
            const { detail } = answer.body as unknown as { detail: { loc: string[] }[] }
            assert.deepEqual(detail[0]?.loc, ['body', field])
          }
        }
    })

    test('it refuses passes that are off unless content jobs read permissions in time', async () => {
      const off = { permissions_schedule: 'off' }
      const refused = async (body: object, field: string) => {
        const answer = await change(body)
        assert.equal(answer.status, 422, answer.text)
        const { detail } = answer.body as unknown as { detail: { loc: string[] }[] }
        assert.deepEqual(detail[0]?.loc, ['body', field])
      }
      await refused(off, 'permissions_schedule')
      await refused({ ...off, schedule: 'daily' }, 'permissions_schedule')
      await refused({ ...off, schedule: 'weekly', max_permission_age_hours: 48 }, 'permissions_schedule')
      okBody(await change({ ...off, schedule: 'every 12 hours' }))
      await refused({ schedule: 'daily' }, 'schedule')
      await refused({ schedule: null }, 'schedule')
      await refused({ max_permission_age_hours: 12 }, 'max_permission_age_hours')
      okBody(await change({ schedule: null, max_permission_age_hours: null }))
      await refused({ max_permission_age_hours: 24 }, 'max_permission_age_hours')
      okBody(await change({ permissions_schedule: 'every 15 minutes', max_permission_age_hours: 24 }))
      const answer = await world.api.post('/workflows', { name: randomUUID(), ...off })
      assert.equal(answer.status, 422, answer.text)
    })
  })

  test('it knows no ages before the first run', async () => {
    assert.deepEqual(await freshness(), { job_id: null, scopes: [], oldest: null })
  })

  test('it reads permissions on request and lists the job apart from content jobs', async () => {
    const began = Date.now()
    const content = await run(world, flow)
    const before = await freshness()
    const maxAge = Math.ceil((Date.now() - began) / 1000)
    assert.ok(before.scopes.length >= 2)
    assert.ok(before.scopes.every(({ status, age_seconds: age }) => status === 'fresh' && age! <= maxAge))
    const started = await syncPermissions()
    assert.deepEqual(
      [started.kind, started.job_type, started.workflow_id],
      ['permissions', 'persistent', flow.workflowId],
    )
    const ended = await finish(world, started.id)
    assert.equal(ended.details.processing_status, 'SUCCESS', JSON.stringify(ended.details))
    const after = await freshness()
    assert.ok(after.oldest! > before.oldest!)
    assert.deepEqual(
      after.scopes.map(({ scope }) => scope),
      before.scopes.map(({ scope }) => scope),
    )

    assert.deepEqual(
      (await jobs()).map(({ id, kind }) => [id, kind]),
      [[content.id, 'content']],
    )
    assert.deepEqual(await jobs('?kind=content'), await jobs())
    for (const query of [
      '?kind=permissions',
      `?kind=permissions&workflow_id=${flow.workflowId}&status=completed`,
    ]) {
      assert.deepEqual(
        (await jobs(query)).map(({ id, kind }) => [id, kind]),
        [[started.id, 'permissions']],
      )
    }
    assertRefused(await world.api.get('/jobs?kind=both'), 422, /kind/)
    const overview = okBody(await world.api.get<{ last_runs: Job[]; permissions_as_of: string }>('/overview'))
    assert.deepEqual(
      overview.last_runs.map(({ id }) => id),
      [content.id],
    )
    assert.equal(overview.permissions_as_of, after.oldest)
  })

  test('it reads permissions during a content job, but not twice at once, and can be cancelled', async () => {
    await world.wiki.control.fail({ path: '/spaces', isHeld: true, times: null })
    try {
      const pass = await syncPermissions()
      assertRefused(await world.api.post(`${path()}/sync-permissions`), 409, /job_active/)
      const content = await startRun(world, flow)
      assert.equal(okBody(await world.api.get<Job>(`/jobs/${content}`)).kind, 'content')
      okBody(await world.api.post(`/jobs/${pass.id}/cancel`))
      okBody(await world.api.post(`/jobs/${content}/cancel`))
      assert.equal((await finish(world, pass.id)).status, 'STOPPED')
    } finally {
      await world.wiki.control.clearFaults()
    }
  })

  test('it reads permissions of an inactive workflow', async () => {
    okBody(await change({ state: 'inactive' }))
    const { details } = await finish(world, (await syncPermissions()).id)
    assert.equal(details.processing_status, 'SUCCESS')
    okBody(await change({ state: 'active' }))
  })

  test('it refuses workflows without connectors, unknown ones and those of others', async () => {
    const { id } = okBody(await world.api.post<{ id: string }>('/workflows', { name: 'without connectors' }))
    assertRefused(await world.api.post(`/workflows/${id}/sync-permissions`), 409, /not_possible/)
    assert.deepEqual(okBody(await world.api.get<Freshness>(`/workflows/${id}/freshness`)), {
      job_id: null,
      scopes: [],
      oldest: null,
    })
    for (const unknown of [randomUUID(), 'x', other.workflow]) {
      assertRefused(await world.api.post(`/workflows/${unknown}/sync-permissions`), 404)
      assertRefused(await world.api.get(`/workflows/${unknown}/freshness`), 404)
    }
  })

  test('it says which permissions are fresh, stale, hidden or never read', async () => {
    const setAge = (minutes: number | null) =>
      withDatabase(world, (db) =>
        sql`update workflow_scopes set proved_at = now() - make_interval(mins => ${minutes}::integer)
          where workflow_id = ${flow.workflowId}::uuid`.execute(db),
      )
    const status = async () => [...new Set((await freshness()).scopes.map((scope) => scope.status))]
    for (const [minutes, expected] of [
      [29, 'fresh'],
      [31, 'stale'],
      [24 * 60 - 1, 'stale'],
      [24 * 60 + 1, 'hidden'],
      [null, 'never'],
    ] as const) {
      await setAge(minutes)
      assert.deepEqual(await status(), [expected], `${minutes} minutes`)
    }
    assert.equal((await freshness()).oldest, null)
    const metrics = async () => {
      const text = await (await fetch(`${world.millrace.url}/metrics`)).text()
      const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
      return [value('millrace_permission_age_seconds'), value('millrace_hidden_scopes')] as const
    }
    const { length: all } = (await freshness()).scopes
    // They are cached for a few seconds.
    await settles(metrics, [0, all])
    await setAge(60)
    await until(metrics, ([age, hidden]) => age >= 3600 && age < 3900 && hidden === 0)
    await setAge(25 * 60)
    await until(metrics, ([, hidden]) => hidden === all)
    okBody(await change({ max_permission_age_hours: null }))
    await setAge(100_000)
    assert.deepEqual(await status(), ['stale'])
    okBody(await change({ permissions_schedule: 'off', schedule: 'weekly' }))
    await setAge(2 * 7 * 24 * 60 - 1)
    assert.deepEqual(await status(), ['fresh'])
    okBody(await change({ state: 'inactive' }))
    okBody(
      await change({
        permissions_schedule: 'every 15 minutes',
        schedule: null,
        max_permission_age_hours: 24,
      }),
    )
    await postponePasses()
    okBody(await change({ state: 'active' }))
  })

  test('it keeps the last passes, and those of a day', async () => {
    const addPasses = (daysAgo: number, status: string) =>
      withDatabase(world, (db) =>
        sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, kind,
            settings, warnings, created_at, started_at, finished_at)
          select gen_random_uuid(), workspace_id, id, name, 'COMPLETED', ${status}, 'scheduled', 'permissions',
            '{"nodes": []}', '[]', at, at, at
          from workflows, lateral (select now() - make_interval(days => ${daysAgo}) as at) as past,
            generate_series(1, 30)
          where id = ${flow.workflowId}::uuid`.execute(db),
      )
    const before = (await jobs('?kind=permissions')).length
    await addPasses(3, 'COMPLETED_WITH_ERRORS')
    await addPasses(8, 'COMPLETED_WITH_ERRORS')
    await addPasses(4, 'SUCCESS')
    await withDatabase(world, pruneOldPasses)
    assert.equal((await jobs('?kind=permissions')).length, before + 30)
    await withDatabase(world, (db) =>
      sql`delete from jobs where finished_at < now() - interval '2 days'`.execute(db),
    )
  })

  test('it starts passes that are due and postpones the next one', async () => {
    const known = new Set((await jobs('?kind=permissions')).map(({ id }) => id))
    await withDatabase(world, (db) =>
      sql`update workflows set permissions_due_at = now() where id = ${flow.workflowId}::uuid`.execute(db),
    )
    const [started] = await until(
      async () => (await jobs('?kind=permissions')).filter(({ id }) => !known.has(id)),
      (found) => found.length > 0,
    )
    assert.equal(started?.job_type, 'scheduled')
    await finish(world, started.id)
    const { scopes } = await freshness()
    assert.ok(scopes.every(({ status }) => status === 'fresh'))
  })
})
