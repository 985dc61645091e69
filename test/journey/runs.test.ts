import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'

import { sql } from 'kysely'
import { pruneOldRuns } from '../../src/store/jobs/old-runs.ts'
import { type Details, detailsOf, type Flow, makeFlow, PLAIN_NODES, run } from '../world/flow.ts'
import { addPastRuns, withDatabase } from '../world/past-runs.ts'
import { openPageClient, type PageClient, type Session } from '../world/person.ts'
import { openWorld, type World } from '../world/world.ts'

type Job = {
  id: string
  status: string
  processing_status: string
  found: number
  counts: Details['counts']
  held_back: number
  started_by: { kind: string; name: string | null }
}
type WithWarnings = { warnings: { code: string; message: string }[] }
type Documents = {
  items: { record_id: string; title: string; state: string; elements: number | null; updated_at: string }[]
  totals: Record<string, number>
  scopes: { key: string; name: string }[]
  next: string | null
  previous: string | null
}
type BulkResults<Outcome> = {
  results: (Outcome & { job_id: string; error: { code: string; message: string } | null })[]
}

function countsBy(values: string[]): Map<string, number> {
  return new Map([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]))
}

const email = 'ada@acme.example'
const password = 'a mill by the water'

/** Fields of runs beyond the contract of other clients: in lists, page by page, and long after the end. */
describe('runs', () => {
  let world: World
  let flow: Flow
  let ada: PageClient
  before(async () => {
    world = await openWorld({
      wiki: { seed: 31, pages: 60, spaces: 2, people: 6, groups: 3 },
      env: { MILLRACE_SETUP_EMAIL: email, MILLRACE_SETUP_PASSWORD: password },
    })
    flow = await makeFlow(world)
    ada = openPageClient(world.millrace.url ?? '')
    assert.equal((await ada.signIn(email, password)).status, 200)
    ada.workspace = (await ada.get<Session>('/session')).body.workspaces[0]?.id ?? ''
  })
  after(() => world.close())

  const jobs = async (query = '') => (await world.api.get<Job[]>(`/jobs/${query}`)).body
  const job = async (id: string) => (await jobs()).find((each) => each.id === id) ?? assert.fail(id)

  test('it lists runs with results and starter', async () => {
    const first = await run(world, flow)
    const listed = await job(first.id)
    assert.deepEqual(listed.counts, first.details.counts)
    assert.equal(listed.found, first.details.summary.total_docs)
    assert.deepEqual([listed.processing_status, listed.held_back], ['SUCCESS', 0])
    assert.equal(first.details.error, null)
    assert.deepEqual(Object.keys(first.details.step_seconds).sort(), [
      'chunk',
      'embed',
      'list',
      'partition',
      'read',
      'write',
    ])
    const { spaces } = await world.wiki.control.truth()
    const { body } = await world.api.get<Documents>(`/jobs/${first.id}/documents`)
    for (const { key, name } of body.scopes)
      assert.equal(name, spaces.find((space) => space.key === key)?.name ?? key)
    assert.equal(body.scopes.length, 2)
    assert.equal(listed.started_by.kind, 'key')
    assert.ok(listed.started_by.name)

    const { pages } = await world.wiki.control.truth()
    const victim = pages.find((each) => each.kind === 'page' && each.status === 'current')?.id ?? ''
    await world.wiki.control.setBinaryBody(victim)
    const byHand = await ada.post<Job>(`/workflows/${flow.workflowId}/run`)
    assert.equal(byHand.status, 202, byHand.text)
    const { name } = (await ada.get<Session>('/session')).body.user
    assert.deepEqual(byHand.body.started_by, { kind: 'person', name })
    await ended(byHand.body.id)
    const failing = await job(byHand.body.id)
    assert.deepEqual(
      [failing.status, failing.processing_status, failing.counts.failed],
      ['COMPLETED', 'COMPLETED_WITH_ERRORS', 1],
    )

    await world.wiki.control.editPage(victim, { body: '<p>Mended.</p>' })
    const unknown = randomUUID()
    const retried = await ada.post<BulkResults<{ job: Job | null }>>('/jobs/retry', {
      job_ids: [byHand.body.id, first.id, unknown],
    })
    assert.equal(retried.status, 200, retried.text)
    const [again, nothing, missing] = retried.body.results
    assert.deepEqual(again?.job?.started_by, { kind: 'retry', name })
    assert.deepEqual([nothing?.job_id, nothing?.job, nothing?.error?.code], [first.id, null, 'not_possible'])
    assert.deepEqual([missing?.job_id, missing?.job, missing?.error?.code], [unknown, null, 'not_found'])
    const retryId = again?.job?.id ?? ''
    await ended(retryId)
    assert.equal((await job(retryId)).counts.changed, 1)

    const log = async (query: string) =>
      (await world.api.get(`/jobs/${byHand.body.id}/log?${query}`)).text
        .split('\n')
        .flatMap((line) =>
          line ? [JSON.parse(line) as { event: string; level: string; state?: string }] : [],
        )
    assert.deepEqual(
      (await log('level=error')).map(({ event, level, state }) => [event, level, state]),
      [['document', 'error', 'failed']],
    )
    assert.deepEqual(
      (await log('level=warning&tail=10')).map(({ event, level }) => [event, level]),
      [
        ['document', 'error'],
        ['end', 'warning'],
      ],
    )
    assert.deepEqual(
      (await log(`text=${victim}`)).map(({ event }) => event),
      ['document'],
    )
    assert.equal((await world.api.get(`/jobs/${byHand.body.id}/log?level=loud`)).status, 422)
  })

  test('it marks runs with removals that wait for approval', async () => {
    const { pages } = await world.wiki.control.truth()
    const leaves = pages.filter(
      (each) => each.kind === 'page' && !pages.some((child) => child.parentId === each.id),
    )
    for (const { id } of leaves) await world.wiki.control.trashPage(id)
    const held = await run(world, flow)
    const waiting = (await job(held.id)).held_back
    assert.ok(waiting > 20, String(waiting))
    const { warnings } = await detailsOf(world, held.id)
    const warned = warnings.find(({ code }) => code === 'deletions_held_back')
    assert.deepEqual(warned?.subject, { kind: 'job', id: held.id, field: null })
    for (const { message } of warnings)
      assert.doesNotMatch(message, /\/api\/|\/jobs\/|POST |approve_deletions/)
    const approved = await world.api.post<BulkResults<{ removed: number | null }>>(
      '/jobs/approve-deletions',
      {
        job_ids: [held.id, (await jobs()).at(-1)?.id],
      },
    )
    assert.deepEqual(
      approved.body.results.map(({ removed, error }) => [removed, error?.code]),
      [
        [waiting, undefined],
        [null, 'not_possible'],
      ],
    )
    const after = await job(held.id)
    assert.deepEqual([after.held_back, after.counts.removed], [0, waiting])
  })

  async function ended(id: string): Promise<void> {
    while (['SCHEDULED', 'IN_PROGRESS'].includes((await job(id)).status))
      await new Promise((resolve) => setTimeout(resolve, 100))
  }

  describe('documents of a large run', () => {
    const DOCUMENTS = 5_200
    let id: string
    before(async () => {
      id = (await addPastRuns(world, flow, [{ daysAgo: 1, documents: DOCUMENTS }]))[0] ?? ''
    })
    const page = async (query: Record<string, string>) => {
      const answer = await world.api.get<Documents>(`/jobs/${id}/documents?${new URLSearchParams(query)}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const keys = {
      title: ({ title }) => title.toLowerCase(),
      state: ({ state }) => state,
      updated_at: ({ updated_at: at }) => at,
      elements: ({ elements }) => elements,
    } satisfies Record<string, (item: Documents['items'][number]) => string | number | null>

    for (const [sort_by, keyOf] of Object.entries(keys)) {
      for (const sort_direction of ['asc', 'desc'] as const) {
        test(`it sorts by ${sort_by} ${sort_direction} in both directions, each document once`, async () => {
          const order = { sort_by, sort_direction, limit: '400' }
          const there: Documents[] = [await page(order)]
          for (let at = there[0]; at?.next; at = there.at(-1))
            there.push(await page({ ...order, cursor: at.next }))
          const items = there.flatMap((each) => each.items)
          assert.equal(new Set(items.map(({ record_id }) => record_id)).size, DOCUMENTS)
          assert.equal(items.length, DOCUMENTS)
          const sign = sort_direction === 'asc' ? 1 : -1
          for (const [index, item] of items.slice(1).entries()) {
            const [a, b] = [keyOf(items[index] ?? item), keyOf(item)]
            // Rows without a value come last in both directions.
            if (a === null || b === null) assert.ok(b === null, `${a} before ${b}`)
            else assert.ok(sign * (a < b ? -1 : a > b ? 1 : 0) <= 0, `${a} before ${b}`)
          }
          let at = there.at(-1)
          for (const wanted of there.slice(0, -1).reverse()) {
            at = await page({ ...order, cursor: at?.previous ?? assert.fail('no previous page') })
            assert.deepEqual(at.items, wanted.items)
          }
          assert.equal(at?.previous, null)
        })
      }
    }

    test('it combines filter and order', async () => {
      const first = await page({ state: 'failed', sort_by: 'title', limit: '30' })
      const second = await page({ state: 'failed', sort_by: 'title', limit: '30', cursor: first.next ?? '' })
      assert.equal(first.items.length + second.items.length, DOCUMENTS / 100)
      assert.equal(second.next, null)
    })

    test('it finds documents by title and counts them by state', async () => {
      const all = await page({ state: 'failed' })
      assert.deepEqual(all.totals, { failed: DOCUMENTS / 100, new: DOCUMENTS - DOCUMENTS / 100 })
      const found = await page({ title: 'CEDAR 10', state: 'failed' })
      assert.deepEqual(found.items, [])
      const cedars = await page({ title: 'CEDAR 10', limit: '500' })
      assert.ok(cedars.items.length > 0)
      for (const { title } of cedars.items) assert.match(title, /^Cedar 10/)
      assert.deepEqual(cedars.totals, Object.fromEntries(countsBy(cedars.items.map(({ state }) => state))))
      assert.deepEqual((await page({ title: '100%_' })).totals, {})
    })

    test('it refuses unknown parameters and a cursor of another order', async () => {
      const refused = async (query: string, words: RegExp) => {
        const { status, text } = await world.api.get(`/jobs/${id}/documents?${query}`)
        assert.equal(status, 422, text)
        assert.match(text, words)
      }
      await refused('sort_by=size', /sort_by should be one of record_id, title, state, updated_at, elements/)
      await refused('sort_direction=up', /sort_direction should be one of asc, desc/)
      await refused('sort=title', /sort/)
      await refused('cursor=nonsense', /is not a cursor of this list/)
      const { next } = await page({ sort_by: 'title' })
      await refused(`sort_by=elements&cursor=${next}`, /another sort order/)
      await refused(
        `cursor=${Buffer.from('["elements","asc","after","x","y"]').toString('base64url')}&sort_by=elements`,
        /cursor/,
      )
    })
  })

  test('it keeps the counts of old runs, deletes their documents and keeps the ledger', async () => {
    const elsewhere = { ...flow, workflowId: (await another()).workflowId }
    // The service itself deletes nothing meanwhile.
    await withDatabase(world, (db) =>
      sql`insert into periodic_tasks (name, began_at) values ('pruneOldRuns', now() + interval '1 hour')
        on conflict (name) do update set began_at = excluded.began_at`.execute(db),
    )
    // Twenty runs after the two old ones: one of those is hidden by number alone, and too young to be deleted.
    const [old = '', young = ''] = await addPastRuns(world, elsewhere, [
      { daysAgo: 40, documents: 12_000 },
      { daysAgo: 20, documents: 150 },
      ...Array.from({ length: 20 }, (_, index) => ({ daysAgo: 1 + index / 100, documents: 1 })),
    ])
    const [few = ''] = await addPastRuns(world, flow, [{ daysAgo: 90, documents: 10 }])
    const documents = async (id: string) =>
      (await world.api.get<Documents>(`/jobs/${id}/documents`)).body.items.length
    const before = await detailsOf(world, old)
    const known = (await world.api.get<{ documents: number }>('/overview')).body.documents
    await withDatabase(world, async (db) => {
      // It dies between two statements, like a killed process.
      await sql`create function die() returns trigger as 'begin raise exception ''dead''; end' language plpgsql`.execute(
        db,
      )
      await sql`create trigger dying before delete on job_documents for each row
        when (old.record_id = 'wiki/012000') execute function die()`.execute(db)
      await assert.rejects(pruneOldRuns(db), /dead/)
      assert.deepEqual(await detailsOf(world, old), { ...before, documents_kept: false })
      assert.ok((await documents(old)) > 0)
      await sql`drop trigger dying on job_documents`.execute(db)
      await pruneOldRuns(db)
    })
    assert.deepEqual(await detailsOf(world, old), { ...before, documents_kept: false })
    assert.equal(before.counts.failed, 120)
    assert.deepEqual((await job(old)).counts, before.counts)
    assert.deepEqual([await documents(old), await documents(young), await documents(few)], [0, 50, 10])
    assert.equal((await world.api.get<{ documents: number }>('/overview')).body.documents, known)
    const retried = await world.api.post(`/jobs/${old}/retry`)
    assert.match(retried.text, /were deleted after their retention time/)
  })

  test('it lists the runs of a time', async () => {
    const [old = ''] = await addPastRuns(world, flow, [{ daysAgo: 60, documents: 1 }])
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    const between = await jobs(`?created_after=${daysAgo(61)}&created_before=${daysAgo(59)}`)
    assert.deepEqual(
      between.map(({ id }) => id),
      [old],
    )
    const { status, text } = await world.api.get('/jobs/?created_after=yesterday')
    assert.equal(status, 422)
    assert.match(text, /created_after/)
  })

  test('it warns about chunks that are too long for the embedder', async () => {
    const wide = [
      { name: 'Partitioner', type: 'partition', subtype: 'auto', settings: {} },
      { name: 'Chunker', type: 'chunk', subtype: 'chunk_by_title', settings: { max_characters: 3000 } },
      { name: 'Embedder', type: 'embed', subtype: 'local', settings: {} },
    ]
    const path = `/workflows/${flow.workflowId}`
    const saved = await world.api.put<WithWarnings>(path, { workflow_nodes: wide })
    assert.deepEqual(
      saved.body.warnings.map(({ code }) => code),
      ['chunks_beyond_embedder'],
    )
    assert.match(saved.body.warnings[0]?.message ?? '', /max_characters is 3000/)
    const { details } = await run(world, flow)
    assert.deepEqual(details.warnings.slice(0, 1), saved.body.warnings)
    assert.equal(details.processing_status, 'SUCCESS', 'a warning is not an error')
    const fixed = await world.api.put<WithWarnings>(path, { workflow_nodes: PLAIN_NODES })
    assert.deepEqual(fixed.body.warnings, [])
  })

  async function another(): Promise<Flow> {
    return makeFlow(world, { suffix: ' two', destination: { index_name: 'elsewhere' } })
  }
})
