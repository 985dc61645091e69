import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertAgreement, assertSameContents, contents, type Indexed, pageIdOf } from '../world/agreement.ts'
import { okBody } from '../world/answers.ts'
import { FAST_MODELS, WITH_FAST_MODELS } from '../world/fast-models.ts'
import { type Flow, finish, makeFlow, run, setSource, startRun } from '../world/flow.ts'
import { editAtRandom, randomOf } from '../world/random-edits.ts'
import { SearchChecker } from '../world/search-checker.ts'
import { anotherDestination } from '../world/second-destination.ts'
import { makeSecondWiki, type SecondWiki } from '../world/second-wiki.ts'
import { fault } from '../world/wiki/faults.ts'
import { startWiki } from '../world/wiki/start.ts'
import { openWorld, type World, wikiConfig } from '../world/world.ts'

/**
 * After random edits and crashes, the next undisturbed run makes destination and wiki agree. It equals a fresh one, and
 * documents of another wiki in it are untouched. All the while people search, and no one finds a page that they had lost
 * before the last listing of its space began.
 */

const TIMEOUT_MS = 840_000
const CHUNKERS = [
  { subtype: 'chunk_by_title', settings: {} },
  { subtype: 'chunk_by_title', settings: { max_characters: 500, overlap: 40, overlap_all: true } },
  { subtype: 'chunk_by_character', settings: { max_characters: 600, include_orig_elements: true } },
]

type Disturbance = 'SIGKILL' | 'SIGINT' | 'cancel' | 'failure'
type Case = {
  seed: number
  destination: 'searchindex' | 'postgres'
  workers: number
  models: (string | null)[]
  /** One per round. */
  disturbances: Disturbance[]
}

const CASES: Case[] = [
  {
    ...{ seed: 3, destination: 'searchindex', workers: 0, models: [...FAST_MODELS, null] },
    disturbances: ['SIGKILL', 'failure', 'cancel'],
  },
  {
    ...{ seed: 11, destination: 'postgres', workers: 2, models: [null, FAST_MODELS[0] ?? null] },
    disturbances: ['failure', 'SIGKILL', 'SIGINT'],
  },
]

for (const { seed, destination, workers, models, disturbances } of CASES) {
  test(`it makes ${destination} agree with the wiki after random edits, node changes, kills, failures and cancels, with ${workers || 'no'} separate workers (seed ${seed})`, {
    timeout: TIMEOUT_MS,
  }, async (t) => {
    const wiki = { seed, pages: 48, spaces: 4, people: 10, groups: 5, latencyMs: 50 }
    const env = { ...WITH_FAST_MODELS, MILLRACE_ALLOWED_HOSTS: '127.0.0.1' }
    const world = await openWorld({ wiki, destination, role: workers ? 'api' : 'all', env })
    const random = randomOf(seed)
    const history = [`seed ${seed}`]
    const log = (line: string) => history.push(`${new Date().toISOString()} ${line}`)
    const context = (details: unknown) => `${history.join('\n')}\n${JSON.stringify(details)}`
    try {
      let workerProcesses = await Promise.all(Array.from({ length: workers }, () => world.start('worker')))
      const flow = await makeFlow(world, { nodes: nodesOf(0, models[0]) })
      const secondWiki = await makeSecondWiki(world, { nodes: nodesOf(0, models[0]) })
      const watched = [{ flow, wiki: world.wiki }, secondWiki]
      const checker = new SearchChecker(world, watched, randomOf(seed + 1))
      const after = () => checker.follow()
      const edit = async (times: number | 'one of each') => {
        for (const line of await editAtRandom(world, { random, times, after })) log(line)
      }
      const assertUnseen = async () => {
        await checker.searchAsAll()
        assert.deepEqual(checker.violations, [], history.join('\n'))
      }
      try {
        await checker.follow()
        checker.start()
        const theirs = await secondWiki.elements()
        let nodes = nodesOf(0, models[0])
        let reworked = 0
        const reprocessAll = async () => {
          reworked++
          nodes = nodesOf(reworked % CHUNKERS.length, models[reworked % models.length])
          log(`nodes ${JSON.stringify(nodes.slice(1))}`)
          await setNodes(world, flow, nodes)
        }
        for (const [round, disturbance] of disturbances.entries()) {
          // Not reprocessed as a whole, which would hide errors of the last round.
          const isLast = round === disturbances.length - 1
          await edit(isLast ? 'one of each' : 14)
          if (!isLast) await reprocessAll()
          const isLagging = random() < 0.4
          if (isLagging) await world.wiki.control.holdSearch()
          await edit(5)
          if (disturbance === 'failure') await breakReading(world)
          const job = await startRun(world, flow)
          await sleep(random() * 2500)
          // It overtakes the listing of the job, or the job overtakes it.
          if (random() < 0.5) await startPass(world, flow)
          log(`round ${round}: ${disturbance}, job ${job}`)
          if (disturbance === 'cancel') await world.api.post(`/jobs/${job}/cancel`)
          else if (disturbance === 'failure') await edit(2)
          else if (workerProcesses[0]) {
            await workerProcesses[0].end(disturbance)
            await edit(5)
            workerProcesses = [...workerProcesses.slice(1), await world.start('worker')]
          } else {
            await world.millrace.end(disturbance)
            await edit(5)
            await world.restart()
          }
          // During it or before the next: its settings were fixed when it started.
          if (!isLast && random() < 0.7) await reprocessAll()
          const disturbed = await finish(world, job, 300)
          if (disturbance === 'failure') {
            assert.equal(disturbed.status, 'FAILED', context(disturbed))
            await world.wiki.control.clearFaults()
            await edit(2)
            await retry(world, job)
          }
          if (isLagging) await world.wiki.control.releaseSearch()
          await endPasses(world, flow)
          const { details } = await run(world, flow)
          assert.equal(details.processing_status, 'SUCCESS', context(details))
          await assertUnseen()
          await assertAgreement(world, secondWiki.others)
          assert.deepEqual(await secondWiki.elements(), theirs, context(details))
        }
        const idle = await run(world, flow)
        assert.equal(idle.details.counts.unchanged, idle.details.counts.discovered, context(idle.details))

        const fresh = await anotherDestination(world, 'fresh')
        const again = await makeFlow(world, { suffix: '-fresh', nodes, destination: fresh.config })
        assert.equal((await run(world, again)).details.processing_status, 'SUCCESS')
        const mine = await contents(world, secondWiki.others)
        assertSameContents(mine, await fresh.contents(), history.join('\n'))
        if (workers) await assertIndependent(world, { flow, secondWiki, checker })
        else await readElsewhere(world, { flow, checker })
        await assertUnseen()
        t.diagnostic(`${checker.searches} searches with ${checker.hits} hits`)
      } finally {
        await checker.stop()
        await secondWiki.close()
      }
    } finally {
      await world.close()
    }
  })
}

/** The wiki refuses the bodies of pages, so that jobs fail after their listing. */
async function breakReading({ wiki }: World): Promise<void> {
  await wiki.control.fail({ ...fault.unauthorized(), path: 'body[.-]', times: null })
}

/** Unless one runs already. */
async function startPass(world: World, { workflowId }: Flow): Promise<void> {
  const { status, text } = await world.api.post(`/workflows/${workflowId}/sync-permissions`)
  assert.ok(status === 202 || status === 409, text)
}

async function endPasses(world: World, { workflowId }: Flow): Promise<void> {
  const passes = await world.api.get<{ id: string }[]>(`/jobs?kind=permissions&workflow_id=${workflowId}`)
  for (const { id } of okBody(passes)) await finish(world, id)
}

/** Tries what a failed job did not reach. */
async function retry(world: World, job: string): Promise<void> {
  const { status, body, text } = await world.api.post<{ id: string }>(`/jobs/${job}/retry`)
  assert.equal(status, 202, text)
  await finish(world, body.id)
}

/** The source gets the address of another wiki with the same spaces and ids, and its old one again. */
async function readElsewhere(
  world: World,
  { flow, checker }: { flow: Flow; checker: SearchChecker },
): Promise<void> {
  const other = await startWiki({ seed: 3, pages: 12, spaces: 2, people: 6, groups: 3 })
  try {
    for (const wiki of [other, world.wiki]) {
      const config = wikiConfig(world, { url: wiki.siteUrl })
      await setSource(world, flow.sourceId, config)
      await checker.readsFrom(wiki, flow)
      await checker.searchAsAll()
      assert.equal((await run(world, flow)).status, 'COMPLETED')
      await checker.searchAsAll()
      const site = `${new URL(wiki.siteUrl).host}/`
      const isWanted = ({ _source }: Indexed) => _source.record_id.startsWith(site)
      await assertAgreement({ wiki, destination: world.destination }, { isWanted })
    }
  } finally {
    await other.stop()
  }
}

/** One workflow does not affect the documents of the other. */
async function assertIndependent(
  world: World,
  { flow, secondWiki, checker }: { flow: Flow; secondWiki: SecondWiki; checker: SearchChecker },
): Promise<void> {
  const after = () => checker.follow()
  const mine = () => contents(world, secondWiki.others)
  const before = await mine()
  const pages = new Set(before.map(pageIdOf))
  const shared = (await secondWiki.elements()).filter((element) => pages.has(pageIdOf(element)))
  assert.ok(shared.length > 0, 'the two wikis have page ids in common')

  await editAtRandom(secondWiki, { random: randomOf(5), times: 12, after })
  const kept = (await secondWiki.wiki.control.truth()).pages.find(
    (page) => page.status === 'current' && page.parentId,
  )
  await secondWiki.wiki.control.trashPage(kept?.id ?? assert.fail('nothing is left'))
  await after()
  await setNodes(world, secondWiki.flow, nodesOf(1, null))
  assert.equal((await run(world, secondWiki.flow)).details.processing_status, 'SUCCESS')
  const theirs = await secondWiki.elements()
  assert.ok(!theirs.some((element) => pageIdOf(element) === kept?.id))
  assert.deepEqual(await mine(), before, 'after edits, a removal and other nodes of the other')

  await damage(world, theirs)
  await repair(world, secondWiki.flow)
  assertSameContents(await secondWiki.elements(), theirs, 'repair')
  assert.deepEqual(await mine(), before, "after the repair of the other's documents")

  const repairedElements = await secondWiki.elements()
  await damage(world, before)
  await repair(world, flow)
  assertSameContents(await mine(), before, 'repair')
  assert.deepEqual(await secondWiki.elements(), repairedElements, 'after the repair of its own documents')

  const deleted = await world.api.delete(`/workflows/${secondWiki.flow.workflowId}`)
  assert.equal(deleted.status, 200, deleted.text)
  await checker.readsFrom(null, secondWiki.flow)
  await editAtRandom(world, { random: randomOf(6), times: 6, after })
  assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
  await repair(world, flow)
  await assertAgreement(world, secondWiki.others)
  assert.deepEqual(await secondWiki.elements(), repairedElements, 'after its workflow was deleted')
}

/** Deletes one element, removes the permissions of one, and adds one that Millrace did not write. */
async function damage({ destination }: World, elements: Indexed[]): Promise<void> {
  const [gone, bare] = elements
  assert.ok(gone && bare)
  const { data_source: _, ...metadata } = gone._source.metadata
  await destination.delete(gone._id)
  await destination.put({ ...bare._source, metadata: { ...metadata, data_source: {} } })
  await destination.put({ ...gone._source, element_id: 'stray' })
  await destination.refresh()
}

async function repair(world: World, { destinationId }: Flow): Promise<void> {
  const { status, body, text } = await world.api.post<{ jobs: { id: string }[] }>(
    `/destinations/${destinationId}/repair`,
    {},
  )
  assert.equal(status, 202, text)
  for (const { id } of body.jobs) await finish(world, id)
  const verified = await world.api.post<{ ok: boolean }>(`/destinations/${destinationId}/verify`)
  assert.equal(verified.body.ok, true, verified.text)
}

function nodesOf(chunker: number, model: string | null | undefined) {
  return [
    { name: 'Partitioner', type: 'partition', subtype: 'auto', settings: {} },
    { name: 'Chunker', type: 'chunk', ...CHUNKERS[chunker] },
    ...(model
      ? [{ name: 'Embedder', type: 'embed', subtype: 'local', settings: { model_name: model } }]
      : []),
  ]
}

async function setNodes(world: World, { workflowId }: Flow, nodes: object[]): Promise<void> {
  const { status, text } = await world.api.put(`/workflows/${workflowId}`, { workflow_nodes: nodes })
  assert.equal(status, 200, text)
}
