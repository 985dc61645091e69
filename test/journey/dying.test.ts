import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAgreement, contents } from '../world/agreement.ts'
import { apiOf } from '../world/api.ts'
import { detailsOf, finish, makeFlow, run, startRun, until } from '../world/flow.ts'
import { openWorld, type World } from '../world/world.ts'

// Slow enough that there is a middle to be killed in: about ten slices, each a few requests of this latency.
const slowWiki = { seed: 11, pages: 500, spaces: 5, people: 12, groups: 5, latencyMs: 150 }

test('kill -9 in the middle, start again: the job finishes and index and wiki agree', async () => {
  const world = await openWorld({ wiki: slowWiki })
  try {
    const flow = await makeFlow(world)
    const jobId = await startRun(world, flow)
    await until(
      () => written(world, jobId),
      (count) => count > 0,
    )
    await world.millrace.end('SIGKILL')
    assert.ok((await contents(world)).length > 0, 'something was in the index when it died')

    await world.restart()
    const ended = await finish(world, jobId)
    assert.equal(ended.status, 'COMPLETED')
    assert.equal(ended.details.processing_status, 'SUCCESS', JSON.stringify(ended.details))
    assert.equal(ended.details.counts.new, ended.details.counts.discovered)
    await assertAgreement(world)

    const again = await run(world, flow)
    assert.equal(again.details.counts.unchanged, again.details.counts.discovered)
  } finally {
    await world.close()
  }
})

test('pages that change while a killed run waits leave nothing of their old text behind', async () => {
  const world = await openWorld({ wiki: slowWiki })
  try {
    const flow = await makeFlow(world)
    const jobId = await startRun(world, flow)
    await until(
      () => written(world, jobId),
      (count) => count > 0,
    )
    await world.millrace.end('SIGKILL')
    for (const page of (await world.wiki.control.truth()).pages) {
      if (page.kind === 'page' && page.status === 'current') {
        await world.wiki.control.editPage(page.id, {
          view: `<p>Rewritten while nobody was looking: ${page.id}.</p>`,
        })
      }
    }
    await world.restart()
    await finish(world, jobId)
    await run(world, flow)
    const elements = await assertAgreement(world)
    for (const element of elements) assert.match(element._source.text, /Rewritten|^[^<]{1,200}$/)
    const pages = new Set(elements.map((element) => element._source.record_id))
    assert.equal(
      elements.length,
      pages.size,
      'one short chunk for each rewritten page and no old one beside it',
    )
  } finally {
    await world.close()
  }
})

test('an API and two workers share a job; one is killed, the other has its documents within 30 s', async () => {
  const world = await openWorld({ wiki: slowWiki, role: 'api' })
  try {
    const [first] = [await world.start('worker'), await world.start('worker')]
    const flow = await makeFlow(world)
    const jobId = await startRun(world, flow)
    await until(
      () => written(world, jobId),
      (count) => count > 0,
    )
    await first.end('SIGKILL')
    const killedAt = Date.now()
    const ended = await finish(world, jobId)
    // The one that is left needs some seconds for its own share too; what was orphaned must not wait longer than this.
    assert.ok(Date.now() - killedAt < 30_000, `it took ${Date.now() - killedAt} ms`)
    assert.equal(ended.details.processing_status, 'SUCCESS', JSON.stringify(ended.details))
    await assertAgreement(world)
  } finally {
    await world.close()
  }
})

test('Ctrl-C in the middle ends in order, and the next start goes on', async () => {
  const world = await openWorld({ wiki: slowWiki })
  try {
    const flow = await makeFlow(world)
    const jobId = await startRun(world, flow)
    await until(
      () => written(world, jobId),
      (count) => count > 0,
    )
    assert.equal(await world.millrace.end('SIGINT'), 0)
    await world.restart()
    const ended = await finish(world, jobId)
    assert.equal(ended.details.processing_status, 'SUCCESS', JSON.stringify(ended.details))
    await assertAgreement(world)
  } finally {
    await world.close()
  }
})

test('cancel stops within seconds, and the next run makes the index whole', async () => {
  const world = await openWorld({ wiki: slowWiki })
  try {
    const flow = await makeFlow(world)
    const jobId = await startRun(world, flow)
    await until(
      () => written(world, jobId),
      (count) => count > 0,
    )
    const cancelled = await world.api.post<{ status: string }>(`/jobs/${jobId}/cancel`)
    assert.equal(cancelled.status, 200)
    assert.equal(cancelled.body.status, 'STOPPED')
    const stopped = await finish(world, jobId)
    assert.equal(stopped.details.processing_status, 'STOPPED')
    assert.ok(stopped.details.counts.skipped > 0)

    const again = await run(world, flow)
    assert.equal(again.details.processing_status, 'SUCCESS', JSON.stringify(again.details))
    await assertAgreement(world)
  } finally {
    await world.close()
  }
})

test('a workflow that is running cannot be run a second time, and the refusal names the job', async () => {
  const world = await openWorld({ wiki: slowWiki })
  try {
    const flow = await makeFlow(world)
    const jobId = await startRun(world, flow)
    const second = await apiOf(world.millrace.url ?? '').post<{ detail: string; code: string }>(
      `/workflows/${flow.workflowId}/run`,
    )
    assert.equal(second.status, 409)
    assert.match(second.body.detail, new RegExp(jobId))
    await world.api.post(`/jobs/${jobId}/cancel`)
  } finally {
    await world.close()
  }
})

async function written(world: World, jobId: string): Promise<number> {
  return (await detailsOf(world, jobId)).counts.new
}
