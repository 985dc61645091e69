import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { okBody } from '../world/answers.ts'
import { type Flow, makeFlow, until } from '../world/flow.ts'
import { withDatabase } from '../world/past-runs.ts'
import { openWorld, type World } from '../world/world.ts'

type Timed = {
  id: string
  schedule: { crontab_entries: { cron_expression: string }[] }
  schedule_timezone: string
  next_run_at: string | null
}
type Refused = { detail: { loc: string[]; msg: string }[] }

describe('schedules of content jobs', () => {
  let world: World
  let flow: Flow
  before(async () => {
    world = await openWorld({ wiki: { seed: 32, pages: 4, spaces: 1, people: 4, groups: 1 } })
    flow = await makeFlow(world, { workflow: { schedule: 'daily' } })
  })
  after(() => world.close())

  const read = async (id: string) => okBody(await world.api.get<Timed>(`/workflows/${id}`))
  const make = async (name: string, body: object) =>
    okBody(await world.api.post<Timed>('/workflows', { name, ...body }))
  const change = (id: string, body: object) => world.api.put<Timed>(`/workflows/${id}`, body)
  const localMinute = (at: string | null, timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(
      new Date(at ?? 0),
    )

  test('it spreads starts over the minute', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) => make(`spread ${index}`, { schedule: 'every hour' })),
    )
    const seconds = made.map(({ next_run_at: at }) => new Date(at ?? 0).getUTCSeconds())
    assert.ok(new Set(seconds).size > 2, seconds.join())
    for (const { id } of made) okBody(await world.api.delete(`/workflows/${id}`))
  })

  test('it runs at a chosen time in a zone', async () => {
    const made = await make('morning', { schedule: '30 6 * * 1-5', schedule_timezone: 'europe/berlin' })
    assert.deepEqual(made.schedule.crontab_entries, [{ cron_expression: '30 6 * * 1-5' }])
    assert.equal(made.schedule_timezone, 'Europe/Berlin')
    assert.equal(localMinute(made.next_run_at, 'Europe/Berlin'), '06:30')
    // A change of anything else keeps the time, so that a due run is not lost.
    assert.equal(okBody(await change(made.id, { name: 'early' })).next_run_at, made.next_run_at)
    const moved = okBody(await change(made.id, { schedule_timezone: 'Asia/Tokyo' }))
    assert.equal(localMinute(moved.next_run_at, 'Asia/Tokyo'), '06:30')
    assert.equal(okBody(await change(made.id, { state: 'inactive' })).next_run_at, null)
    assert.notEqual(okBody(await change(made.id, { state: 'active' })).next_run_at, null)
    const without = okBody(await change(made.id, { schedule: '' }))
    assert.deepEqual([without.schedule.crontab_entries, without.next_run_at], [[], null])
  })

  test('it refuses other schedules and zones at their field', async () => {
    const refused = async (body: object) => {
      const answer = await world.api.post<Refused>('/workflows', { name: 'refused', ...body })
      assert.equal(answer.status, 422, answer.text)
      const [first] = answer.body.detail
      return `${first?.loc.join('.')}: ${first?.msg}`
    }
    assert.match(await refused({ schedule: '* * * * *' }), /^body\.schedule: .* every minute; .* 15 minutes/)
    assert.match(await refused({ schedule: '0 0 31 2 *' }), /^body\.schedule: .* is not a schedule/)
    assert.match(await refused({ schedule: '0 0 0 * * *' }), /^body\.schedule: .* is not a schedule/)
    assert.match(
      await refused({ schedule: 'daily', schedule_timezone: 'Mars/Base' }),
      /^body\.schedule_timezone: .* is not a time zone/,
    )
    const nightly = { schedule: '0 3 * * *', permissions_schedule: 'off', max_permission_age_hours: 24.5 }
    assert.match(
      await refused({ ...nightly, schedule_timezone: 'Europe/Berlin' }),
      /permissions would get older/,
    )
    await make('nightly', nightly)
  })

  test('it explains a schedule and names its next runs', async () => {
    type Explained = { cron_expression: string; text: string; next_runs: string[] }
    const explain = (schedule: string, timezone: string) =>
      world.api.get<Explained>(
        `/schedules/next-runs?${new URLSearchParams({ schedule, schedule_timezone: timezone })}`,
      )
    const explained = okBody(await explain('30 6 * * 1-5', 'Europe/Berlin'))
    assert.equal(explained.text, 'At 06:30, Monday through Friday')
    assert.deepEqual(
      explained.next_runs.map((at) => localMinute(at, 'Europe/Berlin')),
      ['06:30', '06:30', '06:30'],
    )
    assert.equal(okBody(await explain('daily', 'UTC')).cron_expression, '0 0 * * *')
    const answer = await explain('0 0 31 2 *', 'UTC')
    assert.deepEqual((answer.body as unknown as Refused).detail[0]?.loc, ['query', 'schedule'])
  })

  test('it starts a run missed while the service was down once', async () => {
    await world.millrace.end('SIGTERM')
    await withDatabase(world, async (db) => {
      // As if the service had been down for three days.
      await sql`update workflows set next_run_at = now() - interval '3 days' where id = ${flow.workflowId}`.execute(
        db,
      )
    })
    await world.restart()
    const jobs = await until(
      async () => okBody(await world.api.get<{ job_type: string; workflow_id: string }[]>('/jobs')),
      (found) => found.length > 0,
      90,
    )
    assert.deepEqual(
      jobs.map(({ job_type: type, workflow_id: id }) => [type, id]),
      [['scheduled', flow.workflowId]],
    )
    assert.ok(new Date((await read(flow.workflowId)).next_run_at ?? 0).getTime() > Date.now())
  })
})
