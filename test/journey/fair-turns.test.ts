import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Api, apiOf } from '../world/api.ts'
import { until } from '../world/flow.ts'
import { firstAdministrator } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../world/service.ts'

/** Markdown whose reading takes seconds: it grows with the square of the length. */
const SLOW = '*a_'.repeat(1500)
const FILES = 6
const partition = { name: 'Partitioner', type: 'partition', subtype: 'fast' }

type Documents = { items: { state: string }[] }

/** A workspace with slow files leaves a reader and a place in the queue to the others. */
describe('two workspaces with files', () => {
  let millrace: Millrace
  let database: Awaited<ReturnType<typeof migratedDatabase>>
  let otherKey: string
  before(async () => {
    database = await migratedDatabase()
    millrace = await startMillrace({ databaseUrl: database.url })
    const { ada } = await firstAdministrator(millrace)
    const other = await ada.post<{ id: string }>('/workspaces', { name: 'Other' })
    ada.workspace = other.body.id
    otherKey = (await ada.post<{ key: string }>('/keys', { name: 'other' })).body.key
  })
  after(async () => {
    await millrace?.end('SIGTERM')
    await database?.drop()
  })

  const send = async (key: string, files: Record<string, string>): Promise<string> => {
    const form = new FormData()
    form.append('request_data', JSON.stringify({ job_nodes: [partition] }))
    for (const [name, text] of Object.entries(files)) form.append('input_files[]', new Blob([text]), name)
    const headers = { 'unstructured-api-key': key }
    const response = await fetch(`${millrace.url}/api/v1/jobs/`, { method: 'POST', headers, body: form })
    assert.equal(response.status, 200)
    return ((await response.json()) as { id: string }).id
  }
  const finished = async (api: Api, job: string) => {
    const { items } = (await api.get<Documents>(`/jobs/${job}/documents`)).body
    return items.filter(({ state }) => state !== 'pending' && state !== 'in_progress').length
  }

  test('it reads the file of one before most slow files of the other', async () => {
    const [api, other] = [apiOf(millrace.url ?? ''), apiOf(millrace.url ?? '', otherKey)]
    const slow = Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`${at}.md`, SLOW]))
    const jobs = [await send(TEST_KEY, slow), await send(TEST_KEY, slow), await send(TEST_KEY, slow)]
    await until(
      async () => Promise.all(jobs.slice(0, 2).map((job) => finished(api, job))),
      (counts) => counts.every((count) => count > 0),
    )
    const before = await total(api, jobs)
    const job = await send(otherKey, { 'a.csv': 'mill,race\nwheel,water\n' })
    await until(
      async () => (await other.get<{ status: string }>(`/jobs/${job}`)).body.status,
      (status) => status === 'COMPLETED',
      180,
    )
    const meanwhile = (await total(api, jobs)) - before
    for (const each of jobs) await api.post(`/jobs/${each}/cancel`)
    assert.ok(meanwhile < FILES - 1, `${meanwhile} slow files came first`)
  })

  const total = async (api: Api, jobs: string[]) => {
    const counts = await Promise.all(jobs.map((job) => finished(api, job)))
    return counts.reduce((sum, count) => sum + count, 0)
  }
})
