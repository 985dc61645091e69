import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { allocatedBytes, WITH_ALLOCATION_COUNTER } from '../world/allocation-counter.ts'
import { type Flow, finish, makeFlow, startRun } from '../world/flow.ts'
import { assertSuccess } from '../world/open-space.ts'
import { anotherDestination } from '../world/second-destination.ts'
import { type Millrace, startMillrace } from '../world/service.ts'
import { countStatements, type StatementCounter } from '../world/statement-counter.ts'
import { accounts } from '../world/wiki/accounts.ts'
import { openWorld, type World } from '../world/world.ts'

type Cost = { requests: number; statements: number; kilobytes: number; embeddings: number }

const PAGES = 400

/** Per document, about a fifth above what was measured: raise a limit only together with what the run does more. */
const LIMITS: Record<'cloud' | 'data_center', { first: Cost; unchanged: Cost }> = {
  cloud: {
    first: { requests: 0.12, statements: 0.45, kilobytes: 1150, embeddings: 0 },
    unchanged: { requests: 0.085, statements: 0.09, kilobytes: 190, embeddings: 0 },
  },
  data_center: {
    first: { requests: 0.1, statements: 0.45, kilobytes: 970, embeddings: 0 },
    unchanged: { requests: 0.07, statements: 0.09, kilobytes: 190, embeddings: 0 },
  },
}

/** Counts instead of seconds, so that a busy machine cannot fail it. */
describe('the cost of a document', () => {
  let world: World
  let worker: Millrace
  let counter: StatementCounter

  before(async () => {
    world = await openWorld({
      wiki: { seed: 18, pages: PAGES, spaces: 4, people: 30, groups: 8 },
      role: 'api',
    })
    // Checks below folders depend on the people of a space, not on its pages.
    const { pages } = await world.wiki.control.truth()
    for (const { id, kind } of pages) if (kind === 'folder') await world.wiki.control.deletePage(id)
    counter = await countStatements(world.databaseUrl)
    const { siteUrl, dataCenterUrl, mediaUrl } = world.wiki
    const hosts = [siteUrl, dataCenterUrl, mediaUrl, world.engine.url].map((each) => new URL(each).host)
    worker = await startMillrace({
      ...{ databaseUrl: counter.url, allowedHosts: hosts, role: 'worker' },
      env: WITH_ALLOCATION_COUNTER,
    })
  })
  after(async () => {
    await worker?.end('SIGKILL')
    counter?.close()
    await world?.close()
  })

  for (const deployment of ['cloud', 'data_center'] as const)
    test(`it stays within its limits on ${deployment}`, async () => {
      const { dataCenterUrl } = world.wiki
      const source = { url: dataCenterUrl, token: accounts.crawler.pat, username: null, cloud: false }
      const flow = await flowWith(deployment, { source: deployment === 'cloud' ? {} : source })
      const limits = LIMITS[deployment]
      assertWithin(await costOfRun(flow), limits.first, 'first run')
      assertWithin(await costOfRun(flow), limits.unchanged, 'unchanged run')
    })

  test('it embeds every text once, and nothing again for unchanged text', async () => {
    const destination = await anotherDestination(world, 'vectors')
    const flow = await flowWith('vectors', {
      source: { max_num_of_docs_from_each_space: 10 },
      destination: destination.config,
      nodes: null,
    })
    const first = await costOfRun(flow)
    const elements = await destination.contents()
    const texts = new Set(elements.map(({ _source }) => _source.text))
    assert.equal(first.embeddings * first.documents, texts.size)
    assert.equal((await costOfRun(flow)).embeddings, 0)
    const [person = ''] = (await world.wiki.control.truth()).people.map(({ accountId }) => accountId)
    const page = elements[0]?._source.metadata.data_source.record_locator.page_id ?? ''
    await world.wiki.control.restrict(page, { read: { users: [person] } })
    const restricted = await costOfRun(flow)
    assert.deepEqual([restricted.embeddings, restricted.counts.permissions_only > 0], [0, true])
  })

  function flowWith(name: string, options: Parameters<typeof makeFlow>[1]): Promise<Flow> {
    return makeFlow(world, {
      ...{ suffix: ` ${name}`, workflow: { permissions_schedule: 'every 1440 minutes' } },
      ...options,
    })
  }

  async function costOfRun(flow: Flow) {
    await world.wiki.control.resetCounts()
    counter.takeTexts()
    const [bytes, embeddings] = [await allocatedBytes(worker), await embeddingsOf(worker)]
    const { details } = await assertSuccess(finish(world, await startRun(world, flow)))
    const documents = details.counts.discovered
    return {
      documents,
      counts: details.counts,
      requests: (await world.wiki.control.counts()).requests / documents,
      statements: counter.takeTexts().filter(isOfDocuments).length / documents,
      kilobytes: ((await allocatedBytes(worker)) - bytes) / 1000 / documents,
      embeddings: ((await embeddingsOf(worker)) - embeddings) / documents,
    }
  }
})

/** The queue and the heartbeats send statements by the clock; those of documents depend on documents alone. */
function isOfDocuments(text: string): boolean {
  return /documents|permission_sets/.test(text)
}

async function embeddingsOf({ healthUrl }: Millrace): Promise<number> {
  // Metrics are cached for a second.
  await sleep(1_100)
  const text = await (await fetch(`${healthUrl}/metrics`)).text()
  const line = /^millrace_embedded_texts_total\{from="model"\} (\d+)$/m.exec(text)
  assert.ok(line, text)
  return Number(line[1])
}

function assertWithin(cost: Cost, limit: Cost, run: string): void {
  for (const kind of ['requests', 'statements', 'kilobytes', 'embeddings'] as const)
    assert.ok(
      cost[kind] <= limit[kind],
      `${run}: ${cost[kind].toFixed(3)} ${kind} per document, limit ${limit[kind]}`,
    )
}
