import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { anyRecord, contents } from '../world/agreement.ts'
import { assertRefused, okBody } from '../world/answers.ts'
import { WITH_FAST_EMBEDDING } from '../world/fast-embedding.ts'
import { type Flow, finish, type JobResult, makeFlow, run, startRun } from '../world/flow.ts'
import { assertSuccess } from '../world/open-space.ts'
import { addOtherWorkspace, type OtherWorkspace } from '../world/other-workspace.ts'
import { anotherDestination } from '../world/second-destination.ts'
import { openEventStream, type SentEvent } from '../world/server-events.ts'
import { accounts } from '../world/wiki/accounts.ts'
import { fault } from '../world/wiki/faults.ts'
import { openWorld, type World } from '../world/world.ts'

type Element = { type: string; element_id: string; text: string; metadata: Record<string, unknown> }
type Previewed = {
  documents: {
    record_id: string
    title: string
    url: string
    filetype: string | null
    html: string | null
    nodes: {
      node: { type: string; subtype: string; name: string }
      total: number
      elements: Element[]
      dims?: number
      sample?: number[]
    }[]
    error: { code: string; message: string } | null
  }[]
}
type Progress = {
  found: number
  counts: Record<string, number>
  stages: { name: string; done: number; total: number | null }[]
  rates: { documents_per_second: number; elements_per_second: number }
  eta_seconds: number | null
}

describe('workflow routes beyond the platform API', () => {
  let world: World
  let flow: Flow
  let first: JobResult
  let other: OtherWorkspace
  before(async () => {
    world = await openWorld({
      wiki: { seed: 10, pages: 60, spaces: 4, people: 10, groups: 4 },
      env: WITH_FAST_EMBEDDING,
    })
    flow = await makeFlow(world, { nodes: null })
    first = await assertSuccess(run(world, flow))
    other = await addOtherWorkspace(world.databaseUrl)
  })
  after(() => world.close())

  describe('events of a job', () => {
    test('it streams events while the job runs, each warning once', async () => {
      const limited = await makeFlow(world, {
        suffix: ' limited',
        source: { max_num_of_docs_from_each_space: 4 },
        destination: (await anotherDestination(world, 'limited')).config,
      })
      await world.wiki.control.fail({ isHeld: true, times: null })
      const id = await startRun(world, limited)
      const { status, headers, events } = await openEventStream(world, `/jobs/${id}/events`)
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', /^text\/event-stream/)
      assert.equal(headers.get('cache-control'), 'no-cache, no-transform')
      const received = [(await events.next()).value as SentEvent]
      await world.wiki.control.clearFaults()
      received.push(...(await Array.fromAsync(events)))
      const ended = await finish(world, id)

      assert.deepEqual(
        received.filter(({ event }) => event === 'warning').map(({ data }) => data),
        ended.details.warnings,
      )
      assert.ok(ended.details.warnings.length >= 2, 'there are warnings')
      const progress = received
        .filter(({ event }) => event === 'progress')
        .map(({ data }) => data as Progress)
      assert.ok(progress.length >= 2, `${progress.length} progress events`)
      assert.deepEqual(
        progress.map(({ found }) => found),
        progress.map(({ found }) => found).toSorted((a, b) => a - b),
      )
      const last = progress.at(-1)!
      assert.deepEqual(last.counts, ended.details.counts)
      assert.deepEqual(last.stages, [
        { name: 'list', done: last.found, total: last.found },
        { name: 'work', done: last.found, total: last.found },
        { name: 'remove', done: 0, total: 0 },
      ])
      assert.ok(last.rates.documents_per_second > 0 && last.rates.elements_per_second > 0)
      assert.equal(last.eta_seconds, 0)
      const done = received.at(-1)!
      assert.equal(done.event, 'done')
      assert.deepEqual(done.data.counts, ended.details.counts)
      assert.deepEqual([done.data.status, done.data.message], ['COMPLETED', ended.details.message])

      // A client that resumes after any of them gets the missing warnings, each once.
      for (const [index, { id: lastId }] of received.slice(0, -1).entries()) {
        const again = await Array.fromAsync(
          (await openEventStream(world, `/jobs/${id}/events`, { lastId })).events,
        )
        const warned = (events: SentEvent[]) => events.filter(({ event }) => event === 'warning').length
        assert.equal(warned(received.slice(0, index + 1)) + warned(again), ended.details.warnings.length)
        assert.deepEqual(
          again.slice(-2).map(({ event }) => event),
          ['progress', 'done'],
        )
      }
      const after = await openEventStream(world, `/jobs/${id}/events`, { lastId: done.id })
      assert.equal(after.status, 204)
    })

    test('it counts unfinished documents in the events of a cancelled job', async () => {
      await world.wiki.control.editPage((await anyRecord(world)).split('/').at(-1)!, {
        title: 'Edited once more',
      })
      await world.wiki.control.fail({ isHeld: true, times: null })
      const id = await startRun(world, flow)
      const listeners = await Promise.all(
        Array.from({ length: 20 }, () => openEventStream(world, `/jobs/${id}/events`)),
      )
      const received = Promise.all(listeners.map(({ events }) => Array.fromAsync(events)))
      await world.api.post(`/jobs/${id}/cancel`)
      await world.wiki.control.clearFaults()
      for (const events of await received) {
        const done = events.at(-1)
        assert.deepEqual([done?.event, done?.data.status], ['done', 'STOPPED'])
      }
      assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    })

    test('it hides events from other workspaces', async () => {
      for (const id of [randomUUID(), 'nonsense', other.job]) {
        assertRefused(await world.api.get(`/jobs/${id}/events`), 404)
        assertRefused(await world.api.get(`/jobs/${id}/log`), 404)
      }
    })
  })

  test('it counts documents and results in the overview', async () => {
    const { last_runs, ...overview } = okBody(
      await world.api.get<
        Record<string, unknown> & { last_runs: object[]; by_day: Record<string, number>[] }
      >('/overview'),
    )
    const elements = await contents(world)
    const others = await world.api.get<{ id: string }[]>('/workflows')
    assert.equal(overview.workflows, others.body.length)
    assert.ok(Number(overview.documents) >= new Set(elements.map((each) => each._source.record_id)).size)
    assert.ok(Number(overview.elements) >= elements.length)
    assert.deepEqual([overview.failures_7d, overview.failed_jobs_7d], [0, 0])
    assert.equal(overview.by_day.length, 14)
    const today = overview.by_day.at(-1)!
    assert.ok(today.new! >= first.details.counts.new, JSON.stringify(today))
    assert.ok(Date.parse(String(overview.permissions_as_of)) > Date.now() - 600_000)
    assert.ok(
      last_runs.length >= 2 && 'processing_status' in last_runs[0]! && 'workflow_name' in last_runs[0]!,
    )
  })

  describe('runs over time', () => {
    type Run = {
      job_id: string
      found: number
      new: number
      changed: number
      removed: number
      seconds: number
      estimate: Estimate | null
    }
    type Estimate = {
      documents: number
      elements: number
      seconds: number
      by_scope: { documents: number }[]
      limited: boolean
      basis: { runs: number }
    }
    type Differences = {
      complete: boolean
      totals: Record<string, number>
      items: { record_id: string; title: string; change: string }[]
      next: string | null
      from: { job_id: string }
    }
    const pageOf = (record: string) => record.split('/').at(-1)!

    test('it estimates a run and shows the estimate next to its numbers', async () => {
      const path = `/workflows/${flow.workflowId}`
      const estimate = okBody(await world.api.post<Estimate>(`${path}/estimate`, {}))
      assert.equal(
        estimate.documents,
        estimate.by_scope.reduce((sum, { documents }) => sum + documents, 0),
      )
      assert.ok(estimate.basis.runs > 0 && estimate.seconds > 0 && estimate.elements > estimate.documents)
      assert.equal(estimate.limited, false)
      const ended = await run(world, flow)
      const runs = okBody(await world.api.get<Run[]>(`${path}/runs?limit=2`))
      assert.equal(runs.length, 2)
      const [latest] = runs
      assert.deepEqual([latest?.job_id, latest?.estimate], [ended.id, estimate])
      assert.equal(latest?.found, ended.details.summary.total_docs)
      for (const id of [randomUUID(), 'x', other.workflow]) {
        assertRefused(await world.api.post(`/workflows/${id}/estimate`, {}), 404)
        assertRefused(await world.api.get(`/workflows/${id}/runs`), 404)
      }
    })

    test('it lists the documents that differ between two runs', async () => {
      const records = [...new Set((await contents(world)).map(({ _source }) => _source.record_id))]
      const pages = records.filter((record) => /\/\d+$/.test(record)).map(pageOf)
      const [edited, gone] = [pages[0]!, pages.at(-1)!]
      const before = await run(world, flow)
      await world.wiki.control.editPage(edited, { title: 'Edited in between' })
      const between = await run(world, flow)
      await world.wiki.control.editPage(edited, { title: 'Edited twice' })
      await world.wiki.control.deletePage(gone)
      const after = await run(world, flow)
      const differences = async (query: string, id = before.id) =>
        okBody(await world.api.get<Differences>(`/jobs/${id}/differences?${query}`))
      const all = await differences(`to=${after.id}`)
      const shown = all.items.map(({ record_id: id, change }) => [pageOf(id), change])
      assert.ok(
        shown.some(([page, change]) => page === edited && change === 'changed'),
        JSON.stringify(all),
      )
      assert.ok(
        shown.some(([page, change]) => page === gone && change === 'removed'),
        JSON.stringify(all),
      )
      assert.equal(all.complete, true)
      assert.equal(all.items.find(({ record_id: id }) => pageOf(id) === edited)?.title, 'Edited twice')
      assert.equal(
        all.items.length,
        Object.values(all.totals).reduce((sum, each) => sum + each, 0),
      )
      // The order of the two runs does not matter.
      assert.deepEqual(await differences(`to=${before.id}`, after.id), all)
      assert.deepEqual((await differences(`to=${between.id}`, between.id)).items, [])
      const first = await differences(`to=${after.id}&limit=1`)
      const rest = await differences(`to=${after.id}&after=${encodeURIComponent(first.next ?? '')}`)
      assert.deepEqual([...first.items, ...rest.items], all.items)
      const removed = await differences(`to=${after.id}&change=removed`)
      assert.equal(removed.items.length, all.totals.removed)
      for (const id of [randomUUID(), 'x', other.job]) {
        assertRefused(await world.api.get(`/jobs/${id}/differences?to=${after.id}`), 404)
        assertRefused(await world.api.get(`/jobs/${after.id}/differences?to=${id}`), 404)
      }
      assertRefused(await world.api.get(`/jobs/${after.id}/differences`), 422)
    })
  })

  describe('a preview', () => {
    const preview = async (body: object) =>
      okBody(await world.api.post<Previewed>(`/workflows/${flow.workflowId}/preview`, body)).documents

    test('it shows the output of each node for the first documents and writes nothing', async () => {
      const before = await contents(world)
      const jobs = await world.api.get<object[]>('/jobs')
      const documents = await preview({})
      assert.equal(documents.length, 3)
      for (const { record_id, html, nodes, error, filetype } of documents) {
        assert.equal(error, null)
        assert.equal(filetype, 'text/html')
        assert.match(html ?? '', /</)
        assert.deepEqual(
          nodes.map(({ node }) => node.type),
          ['partition', 'chunk', 'embed'],
        )
        const [partitioned, chunked, embedded] = nodes
        assert.ok(partitioned!.total >= chunked!.total)
        const indexed = before.filter(({ _source }) => _source.record_id === record_id)
        assert.deepEqual(
          new Set(chunked!.elements.map((each) => each.element_id)),
          new Set(indexed.map(({ _source }) => _source.element_id)),
        )
        assert.ok(nodes.every(({ elements }) => elements.every((each) => !('embeddings' in each))))
        assert.deepEqual([embedded!.dims, embedded!.sample?.length, embedded!.elements], [384, 8, []])
      }
      assert.deepEqual(
        (await contents(world)).map(({ _id, _version }) => [_id, _version]),
        before.map(({ _id, _version }) => [_id, _version]),
      )
      assert.equal((await world.api.get<object[]>('/jobs')).body.length, jobs.body.length)
    })

    test('it shows documents by id, in that order, and reports unlisted ones', async () => {
      const ids = [...new Set((await contents(world)).map(({ _source }) => _source.record_id))]
      const asked = [ids.at(-1)!, ids[0]!, 'elsewhere.example/1']
      const documents = await preview({ record_ids: asked })
      assert.deepEqual(
        documents.map(({ record_id, error }) => [record_id, error?.code]),
        [
          [asked[0], undefined],
          [asked[1], undefined],
          [asked[2], 'document_gone'],
        ],
      )
    })

    test('it reports that the wiki cannot be read', async () => {
      await world.wiki.control.fail({ ...fault.unauthorized(), times: null })
      const answer = await world.api.post(`/workflows/${flow.workflowId}/preview`, {})
      await world.wiki.control.clearFaults()
      assertRefused(answer, 502, /source_unauthorized/)
    })

    test('it refuses invalid input', async () => {
      for (const body of [
        { limit: 11 },
        { limit: 0 },
        { limit: 'three' },
        { record_ids: [] },
        { record_ids: Array.from({ length: 11 }, String) },
        { limit: 1, record_ids: ['x'] },
        { most: 3 },
      ])
        assertRefused(await world.api.post(`/workflows/${flow.workflowId}/preview`, body), 422)
      for (const id of [randomUUID(), 'x', other.workflow])
        assertRefused(await world.api.post(`/workflows/${id}/preview`, {}), 404)
    })
  })

  test('it serves the log of a job and the history of a document', async () => {
    const page = (await anyRecord(world)).split('/').at(-1)!
    const record = await anyRecord(world)
    await world.wiki.control.editPage(page, { title: 'Changed for the log' })
    const ended = await run(world, flow)
    const log = await world.api.get<string>(`/jobs/${ended.id}/log`)
    assert.match(log.headers.get('content-type') ?? '', /^text\/plain/)
    const lines = log.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.deepEqual(
      lines.map(({ event }) => event),
      ['start', 'settings', 'document', 'end'],
    )
    assert.deepEqual([lines[2]!.record_id, lines[2]!.state], [record, 'changed'])
    assert.deepEqual(lines.at(-1)!.counts, ended.details.counts)
    assert.ok(!log.text.includes(accounts.crawler.apiToken) && !log.text.includes(world.indexKey))

    const history = okBody(
      await world.api.get<
        { job_id: string; state: string; elements: number | null; error: null; at: string }[]
      >(`/workflows/${flow.workflowId}/documents?record_id=${encodeURIComponent(record)}`),
    )
    assert.deepEqual([history[0]?.job_id, history[0]?.state, history[0]?.error], [ended.id, 'changed', null])
    assert.deepEqual([history.at(-1)?.job_id, history.at(-1)?.state], [first.id, 'new'])
    const path = `/workflows/${flow.workflowId}/documents`
    assert.deepEqual(okBody(await world.api.get(`${path}?record_id=nothing`)), [])
    for (const query of ['', '?record_id=', '?record_id=x&more=1'])
      assertRefused(await world.api.get(path + query), 422)
    for (const id of [randomUUID(), 'x', other.workflow])
      assertRefused(await world.api.get(`/workflows/${id}/documents?record_id=x`), 404)
  })

  test('it stops although clients still listen', async () => {
    await world.wiki.control.fail({ isHeld: true, times: null })
    const id = await startRun(world, flow)
    const { events } = await openEventStream(world, `/jobs/${id}/events`)
    assert.equal((await events.next()).value?.event, 'progress')
    const ended = world.millrace.end('SIGTERM')
    const rest = await Array.fromAsync(events)
    assert.ok(rest.every(({ event }) => event !== 'done'))
    assert.equal(await ended, 0)
  })
})
