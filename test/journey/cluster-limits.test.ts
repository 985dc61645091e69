import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { apiOf } from '../world/api.ts'
import { openPageClient } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../world/service.ts'
import { holds } from '../world/settled.ts'

const RATE = 30
const MAX_STREAMS = 20

/** Two processes on one database allow together what one allows. */
describe('limits of two processes', () => {
  let database: Awaited<ReturnType<typeof migratedDatabase>>
  let processes: Millrace[] = []
  before(async () => {
    database = await migratedDatabase()
    processes = []
    const rate = { MILLRACE_RATE_LIMIT: String(RATE) }
    const environments: Record<string, string>[] = [{}, {}, rate, rate]
    for (const env of environments)
      processes.push(await startMillrace({ databaseUrl: database.url, role: 'api', env }))
  })
  after(async () => {
    await Promise.all(processes.map((each) => each.end('SIGTERM')))
    await database?.drop()
  })
  const urlOf = (index: number) => processes[index]?.url ?? ''

  test('it counts the requests of a key in both', async () => {
    const apis = [apiOf(urlOf(2)), apiOf(urlOf(3))]
    const answers = await Promise.all(
      Array.from({ length: RATE + 10 }, (_, at) => apis[at % 2]!.get('/sources')),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, RATE)
    assert.equal(answers.filter(({ status }) => status === 429).length, 10)
  })

  test('it counts failed sign-ins in both', async () => {
    const people = [openPageClient(urlOf(0)), openPageClient(urlOf(1))]
    const statuses: number[] = []
    for (let tries = 0; tries < 12; tries++)
      statuses.push((await people[tries % 2]!.signIn('ann@acme.example', 'a wrong password')).status)
    assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429])
  })

  test('it counts the event streams of a caller in both', async () => {
    const urls = [urlOf(0), urlOf(1)]
    const open: AbortController[] = []
    const kept: Response[] = []
    try {
      const form = new FormData()
      const nodes = [{ name: 'Partitioner', type: 'partition', subtype: 'fast' }]
      form.append('request_data', JSON.stringify({ job_nodes: nodes }))
      form.append('input_files[]', new Blob(['Water.']), 'a.txt')
      const headers = { authorization: `Bearer ${TEST_KEY}` }
      const created = await fetch(`${urls[0]}/api/v1/jobs/`, { method: 'POST', headers, body: form })
      const { id } = (await created.json()) as { id: string }
      const openAt = async (at: number) => {
        const controller = new AbortController()
        open.push(controller)
        const { signal } = controller
        const response = await fetch(`${urls[at % 2]}/api/v1/jobs/${id}/events`, { headers, signal })
        if (response.status === 200) kept.push(response)
        else await response.text()
        return response.status
      }
      for (let at = 0; at < MAX_STREAMS; at++) assert.equal(await openAt(at), 200)
      assert.deepEqual([await openAt(0), await openAt(1)], [429, 429])
      open[1]?.abort()
      await holds(async () => assert.equal(await openAt(0), 200))
    } finally {
      for (const controller of open) controller.abort()
    }
  })
})
