import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { elementKey } from '../../src/connectors/kit/stored-element.ts'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'
import { assertAgreement, byPage, contents } from '../world/agreement.ts'
import { type Flow, finish, makeFlow, PLAIN_NODES, run, startRun, until } from '../world/flow.ts'
import { createIndex, indexOn } from '../world/index-destination.ts'
import { INDEX_PRIVILEGES } from '../world/search-engine/attach.ts'
import { type FaultProxy, startFaultProxy } from '../world/search-engine/fault-proxy.ts'
import { searchEngine } from '../world/search-engine/shared.ts'
import { crawler, openWorld, type World } from '../world/world.ts'

type ReplacedIndexes = { name: string; elements: number; aliases: string[] }[]

/** Unused nodes, so that everything has to be processed again. */
let width = 500
function otherNodes() {
  const settings = { max_characters: ++width, new_after_n_chars: 400 }
  return PLAIN_NODES.map((node) => (node.type === 'chunk' ? { ...node, settings } : node))
}

describe('a workflow that swaps its index', () => {
  let world: World
  let flow: Flow
  let proxy: FaultProxy
  let first: string
  const alias = `swap-${randomBytes(5).toString('hex')}`

  const json = async <T>(path: string, init: { method?: string; body?: unknown } = {}): Promise<T> => {
    const answer = await world.engine.adminFetch(path, init)
    const text = await answer.text()
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as T
  }
  const behind = async () => Object.keys(await json<object>(`/_alias/${alias}`)).join()
  const indexes = async () => Object.keys(await json<object>(`/${alias}*`)).sort()
  const change = async (body: object) => {
    const answer = await world.api.put(`/workflows/${flow.workflowId}`, body)
    assert.equal(answer.status, 200, answer.text)
  }
  const moveTo = async (index: string, from: string) => {
    const actions = [{ remove: { index: from, alias } }, { add: { index, alias, is_write_index: true } }]
    const moved = await world.engine.adminFetch('/_aliases', { method: 'POST', body: { actions } })
    assert.ok(moved.ok, await moved.text())
  }
  /** Runs it and returns whether it swapped. */
  const swaps = async () => {
    const from = await behind()
    const { id, status, details } = await run(world, flow)
    return {
      id,
      swapped: (await behind()) !== from,
      status,
      details,
      warnings: details.warnings.map((w) => w.code),
    }
  }
  const pageIds = async () => [...byPage(await contents(world)).keys()].sort((a, b) => Number(a) - Number(b))
  const verified = async () => {
    const { body } = await world.api.post<{ ok: boolean }>(`/destinations/${flow.destinationId}/verify`)
    assert.equal(body.ok, true, JSON.stringify(body))
  }

  before(async () => {
    proxy = await startFaultProxy((await searchEngine()).url)
    world = await openWorld({
      wiki: { seed: 34, pages: 40, spaces: 3, people: 8, groups: 3 },
      env: { MILLRACE_ALLOWED_HOSTS: '127.0.0.1,localhost' },
    })
    first = `${alias}-first`
    await createIndex(world.engine, first, { aliases: { [alias]: { is_write_index: true } } })
    const { encoded } = await world.engine.createApiKey({
      indices: [{ names: [alias, `${alias}-*`], privileges: INDEX_PRIVILEGES }],
    })
    const destination = { hosts: [proxy.url], index_name: alias, search_api_key: encoded }
    await world.engine.adminFetch(`/${world.index}`, { method: 'DELETE' })
    flow = await makeFlow(world, { destination, workflow: { swap_index: true } })
    world.destination = indexOn(world.engine, alias, encoded)
  })
  after(async () => {
    for (const index of await indexes()) await world.engine.adminFetch(`/${index}`, { method: 'DELETE' })
    await world.close()
    await proxy.close()
  })
  beforeEach(async () => {
    await world.wiki.control.clearFaults()
    proxy.on(() => undefined)
  })

  test('it fills the existing index first and keeps it while nothing else changes', async () => {
    assert.deepEqual((await swaps()).warnings, [])
    const again = await swaps()
    assert.equal(again.details.counts.unchanged, again.details.counts.discovered)
    assert.equal(await behind(), first)
    await assertAgreement(world)
  })

  test('it fills a new index when the nodes change; searches see one complete index', async () => {
    await change({ workflow_nodes: otherNodes() })
    const before = (await contents(world)).length
    const [gone] = await pageIds()
    await world.wiki.control.trashPage(gone ?? '')
    await world.wiki.control.set({ latencyMs: 60 })
    const job = await startRun(world, flow)
    let searches = 0
    let ended = false
    const watching = (async () => {
      while (!ended) {
        const { _shards: shards, hits } = await json<{
          _shards: { failed: number }
          hits: { total: { value: number } }
        }>(`/${alias}/_search?size=0&track_total_hits=true&q=NOT%20element_id:millrace_control`)
        assert.equal(shards.failed, 0)
        if ((await behind()) === first) assert.equal(hits.total.value, before)
        searches++
      }
    })()
    const { details } = await finish(world, job)
    ended = true
    await watching
    await world.wiki.control.set({ latencyMs: 0 })
    assert.equal(details.processing_status, 'SUCCESS', details.message ?? '')
    assert.match(details.message ?? '', new RegExp(`${first}, is kept`))
    assert.deepEqual([details.counts.changed, details.counts.removed], [details.counts.discovered, 1])
    const now = await behind()
    assert.ok(searches > 3 && now !== first)
    assert.deepEqual(await indexes(), [now, first].sort())
    await assertAgreement(world)
    await verified()
  })

  test('it writes later changes into the new index', async () => {
    const [page] = await pageIds()
    await world.wiki.control.editPage(page ?? '', { body: '<p>The weir was mended.</p>' })
    const { swapped, details } = await swaps()
    assert.deepEqual([swapped, details.counts.changed, details.counts.new], [false, 1, 0])
    await assertAgreement(world)
  })

  test('it keeps old indexes until they are deleted, and deletes nothing else', async () => {
    const path = `/destinations/${flow.destinationId}/generations`
    const kept = (await world.api.get<ReplacedIndexes>(path)).body
    assert.deepEqual(
      kept.map(({ name, aliases }) => [name, aliases]),
      [[first, []]],
    )
    const now = await behind()
    const foreign = `${alias}-19990101000000-foreign`
    await createIndex(world.engine, foreign)
    for (const name of ['*', `${alias}-*`, alias, now, foreign, `${first},${now}`, 'nothing'])
      assert.equal((await world.api.delete(`${path}/${encodeURIComponent(name)}`)).status, 404, name)
    await world.engine.adminFetch(`/${first}/_alias/${alias}-rescued`, { method: 'PUT' })
    assert.equal((await world.api.delete(`${path}/${first}`)).status, 409)
    await world.engine.adminFetch(`/${first}/_alias/${alias}-rescued`, { method: 'DELETE' })
    assert.equal((await world.api.delete(`${path}/${first}`)).status, 200)
    assert.deepEqual((await world.api.get<ReplacedIndexes>(path)).body, [])
    assert.deepEqual(await indexes(), [now, foreign].sort())
    // More at once than there are database connections.
    const gone = Array.from({ length: 14 }, (_, n) => `${alias}-gone-${n}`)
    const db = openDatabase(world.databaseUrl)
    for (const name of gone)
      await sql`insert into ledgers (workflow_id, index_name, index_uuid, replaced_at, destination_id)
        values (${flow.workflowId}, ${name}, 'x', now(), ${flow.destinationId})`.execute(db)
    await closeDatabase(db)
    const answers = await Promise.all(gone.map((name) => world.api.delete(`${path}/${name}`)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [404])
    await world.engine.adminFetch(`/${foreign}`, { method: 'DELETE' })
  })

  test('it cancels the swap for a failed page, but updates permissions and removals', async () => {
    const [bad = '', restricted = '', trashed = ''] = await pageIds()
    await world.wiki.control.setBinaryBody(bad)
    await change({ workflow_nodes: otherNodes() })
    // Killed after the new index was deleted and before that was stored.
    let killed = false
    proxy.on(({ method, path }) => {
      if (killed || method !== 'DELETE' || !/^\/swap-[^/]*$/.test(path)) return undefined
      killed = true
      world.millrace.process.kill('SIGKILL')
      return { cut: true }
    })
    const old = await behind()
    const job = await startRun(world, flow)
    await until(async () => killed, Boolean, 180)
    await world.kill()
    await world.restart()
    const failed = await finish(world, job)
    assert.deepEqual([await behind(), failed.details.processing_status], [old, 'COMPLETED_WITH_ERRORS'])
    assert.match(
      failed.details.message ?? '',
      /1 document failed.*discarded, because it does not exist any more/,
    )
    assert.equal((await indexes()).length, 1, 'the incomplete index is deleted')
    const retried = await world.api.post<{ id: string }>(`/jobs/${failed.id}/retry`)
    assert.equal((await finish(world, retried.body.id)).details.counts.failed, 1)
    assert.equal((await indexes()).length, 1, 'a retry writes into the current index')
    const { people } = await world.wiki.control.truth()
    await world.wiki.control.restrict(restricted, { read: { users: [people[0]?.accountId ?? ''] } })
    await world.wiki.control.trashPage(trashed)
    // Repeated requests change nothing: the failed run still has the old settings.
    for (const attempt of [1, 2]) {
      const { swapped, warnings, details } = await swaps()
      assert.equal(swapped, false, `run ${attempt}`)
      assert.equal(warnings.includes('swap_given_up'), attempt === 1, 'later, most have the new settings')
      assert.equal(details.counts.failed, 1, JSON.stringify(details))
    }
    await assertAgreementBut(bad)
    await world.wiki.control.editPage(bad, { body: '<p>Mended.</p>' })
    await change({ reprocess_all: true })
    assert.equal((await swaps()).swapped, true, 'a person requested it')
    await change({ reprocess_all: false })
    await assertAgreement(world)
    await verified()
  })
  /** A page that fails keeps its old text, with its current permissions. */
  const assertAgreementBut = async (bad: string) => {
    const readers = await world.wiki.control.readers()
    const pages = byPage(await contents(world))
    const current = (await world.wiki.control.truth()).pages.filter((page) => pages.has(page.id))
    assert.ok(
      current.every(({ status }) => status === 'current'),
      'trashed pages are removed',
    )
    const { people, groups } = await world.wiki.control.truth()
    for (const [id, elements] of pages) {
      if (id === bad) continue
      for (const { _source } of elements) {
        const { users, groups: of } = _source.metadata.data_source.permissions_data[0].read
        const may = people
          .map(({ accountId }) => accountId)
          .filter(
            (person) =>
              users.includes(person) ||
              groups.some((group) => of.includes(group.id) && group.members.includes(person)),
          )
        for (const person of may) assert.ok(readers[id]?.includes(person), `${person} reads ${id}`)
      }
    }
  }

  test('it does not lose a page that the listing missed', async () => {
    const [missed = ''] = await pageIds()
    const { spaceKey } =
      (await world.wiki.control.truth()).pages.find(({ id }) => id === missed) ?? assert.fail()
    const { id: space } =
      (await world.wiki.control.truth()).spaces.find(({ key }) => key === spaceKey) ?? assert.fail()
    const authorization = `Basic ${btoa(`${crawler.email}:${crawler.apiToken}`)}`
    const listed = await fetch(`${world.wiki.siteUrl}/wiki/api/v2/spaces/${space}/pages?limit=250`, {
      headers: { authorization },
    })
    const { results } = (await listed.json()) as { results: { id: string }[] }
    assert.ok(results.some(({ id }) => id === missed))
    const body = { results: results.filter(({ id }) => id !== missed), _links: {} }
    await world.wiki.control.fail({ path: `/spaces/${space}/pages`, status: 200, body, times: null })
    await change({ workflow_nodes: otherNodes() })
    const { swapped, details } = await swaps()
    assert.equal(swapped, false, details.message ?? '')
    assert.match(details.message ?? '', /exist in the source but could not be listed/)
    assert.ok((await pageIds()).includes(missed))
    await world.wiki.control.clearFaults()
    assert.equal((await swaps()).swapped, false)
    await assertAgreement(world)
  })

  test('it does not swap if other programs write into the index', async () => {
    const theirs = `/${alias}/_doc/theirs`
    const body = { record_id: 'another.wiki/1', element_id: 'x', text: 'theirs' }
    await world.engine.adminFetch(`${theirs}?refresh=true`, { method: 'PUT', body })
    const before = otherNodes()
    await change({ workflow_nodes: before })
    const refused = await swaps()
    assert.deepEqual([refused.swapped, refused.status], [false, 'FAILED'])
    assert.match(refused.details.message ?? '', /1 elements of documents that this workflow has not written/)
    assert.equal(
      (await swaps()).details.processing_status,
      'SUCCESS',
      'the next run writes into the current index',
    )
    await world.engine.adminFetch(`${theirs}?refresh=true`, { method: 'DELETE' })

    // From another workspace, by the name of the index itself.
    const ids = { workspace: randomUUID(), destination: randomUUID(), workflow: randomUUID() }
    const config = JSON.stringify({ hosts: [proxy.url], index_name: await behind() })
    const db = openDatabase(world.databaseUrl)
    await sql`insert into workspaces (id, name) values (${ids.workspace}, 'theirs')`.execute(db)
    await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
      values (${ids.destination}, ${ids.workspace}, 'destination', 'searchindex', 'd', ${config}, '{}')`.execute(
      db,
    )
    await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state, destination_id)
      values (${ids.workflow}, ${ids.workspace}, 'w', 'custom', '[]', false, 'active', ${ids.destination})`.execute(
      db,
    )
    const nodes = otherNodes()
    await change({ workflow_nodes: nodes })
    const shared = await swaps()
    assert.deepEqual([shared.swapped, shared.status], [false, 'FAILED'])
    assert.match(shared.details.message ?? '', /another workflow writes into/)
    await sql`delete from workspaces where id = ${ids.workspace}`.execute(db)
    await closeDatabase(db)
    assert.equal((await indexes()).length, 2)
    // Other nodes in between, then these again: a change, so the swap is tried again.
    await change({ workflow_nodes: before })
    assert.equal((await swaps()).swapped, false)
    await change({ workflow_nodes: nodes })
    assert.equal((await swaps()).swapped, true)
    await assertAgreement(world)
  })

  test('it continues later runs if a staged index cannot be deleted, and names it', async () => {
    const refusal = { status: 403, body: { error: { type: 'security_exception', reason: '' }, status: 403 } }
    const old = await behind()
    const isStagedPath = (path: string) => /^\/swap-\w+-\d{14}-/.test(path) && !path.startsWith(`/${old}`)
    proxy.on(({ path }) => (isStagedPath(path) ? refusal : undefined))
    await change({ workflow_nodes: otherNodes() })
    const refused = await swaps()
    assert.deepEqual([refused.swapped, refused.status], [false, 'FAILED'])
    assert.match(refused.details.message ?? '', new RegExp(`Give .* manage on ${alias}, ${alias}-\\*`))
    const next = await swaps()
    assert.deepEqual(
      [next.swapped, next.details.processing_status],
      [false, 'SUCCESS'],
      next.details.message ?? '',
    )
    assert.match(
      (await finish(world, refused.id)).details.message ?? '',
      /Removing .* failed .* delete it by hand/,
    )
    await assertAgreement(world)
  })

  test('it swaps although a new page fails, and knows what it just removed', async () => {
    const set = async (interval: string | null) =>
      world.engine.adminFetch(`/${await behind()}/_settings`, {
        method: 'PUT',
        body: { index: { refresh_interval: interval } },
      })
    await set('10m')
    const [trashed = ''] = await pageIds()
    const { spaceKey } =
      (await world.wiki.control.truth()).pages.find(({ id }) => id === trashed) ?? assert.fail()
    const bad = await world.wiki.control.createPage({ space: spaceKey, title: 'Never read' })
    await world.wiki.control.setBinaryBody(bad)
    await world.wiki.control.trashPage(trashed)
    const { counts } = (await swaps()).details
    assert.deepEqual([counts.failed, counts.removed], [1, 1])
    await change({ workflow_nodes: otherNodes() })
    const { swapped, details } = await swaps()
    assert.deepEqual(
      [swapped, details.processing_status],
      [true, 'COMPLETED_WITH_ERRORS'],
      details.message ?? '',
    )
    assert.equal(details.counts.failed, 1)
    await set(null)
    await world.wiki.control.trashPage(bad)
    assert.equal((await swaps()).details.processing_status, 'SUCCESS')
    await assertAgreement(world)
    await verified()
  })

  const isMove = ({ path, body }: { path: string; body: string }) =>
    path.startsWith('/_aliases') && body.includes('"add"')

  test('it cleans up after a kill before the alias moved, however late the request', async () => {
    const old = await behind()
    let late: unknown
    proxy.on((passing) => {
      if (!isMove(passing)) return undefined
      late = JSON.parse(passing.body)
      return new Promise<never>(() => {})
    })
    await change({ workflow_nodes: otherNodes() })
    const job = await startRun(world, flow)
    await until(async () => late, Boolean, 180)
    const staged = (await indexes()).filter((name) => name !== old)
    assert.equal((await world.api.post(`/jobs/${job}/cancel`)).status, 200)
    await world.kill()
    const refusal = { status: 403, body: { error: { type: 'security_exception', reason: '' }, status: 403 } }
    proxy.on(({ method }) => (method === 'DELETE' ? refusal : undefined))
    await world.restart()
    const unsafe = await run(world, flow)
    assert.equal(unsafe.status, 'FAILED')
    assert.match(unsafe.details.message ?? '', /may still take effect.*Give .* manage on/)
    proxy.on(() => undefined)
    const next = await swaps()
    assert.deepEqual([next.swapped, next.details.processing_status], [false, 'SUCCESS'])
    assert.match(
      (await finish(world, job)).details.message ?? '',
      /Stopped by request. the new index was discarded/i,
    )
    const arrived = await world.engine.adminFetch('/_aliases', { method: 'POST', body: late })
    assert.equal(arrived.status, 404, await arrived.text())
    assert.equal(await behind(), old)
    assert.equal(
      (await indexes()).filter((name) => staged.includes(name) && name !== first).length,
      staged.length - 1,
    )
    await assertAgreement(world)
    await verified()
  })

  test('it updates the ledger after a kill right after the alias moved', async () => {
    const old = await behind()
    let moved = false
    proxy.on(async (passing) => {
      if (!isMove(passing)) return undefined
      await world.engine.adminFetch('/_aliases', { method: 'POST', body: JSON.parse(passing.body) })
      moved = true
      return new Promise<never>(() => {})
    })
    await change({ workflow_nodes: otherNodes() })
    const job = await startRun(world, flow)
    await until(async () => moved, Boolean, 180)
    await world.api.post(`/jobs/${job}/cancel`)
    await world.kill()
    await world.restart()
    proxy.on(() => undefined)
    assert.notEqual(await behind(), old)
    await verified()
    assert.ok(
      (await world.api.get<ReplacedIndexes>(`/destinations/${flow.destinationId}/generations`)).body.some(
        ({ name }) => name === old,
      ),
    )
    const { swapped, details } = await swaps()
    assert.deepEqual([swapped, details.counts.unchanged], [false, details.counts.discovered])
    await assertAgreement(world)
  })

  test('it ends the job correctly after a kill at any request of the swap', async () => {
    const old = await behind()
    let ending = false
    const point = Math.floor(Math.random() * 7)
    let left = point
    let killed = false
    proxy.on((passing) => {
      // The end begins with a scan of the old index for foreign elements.
      ending ||= staging && passing.path.includes('_search?preference')
      staging ||= passing.path.includes('_bulk')
      if (!ending || killed || left-- > 0) return undefined
      killed = true
      world.millrace.process.kill('SIGKILL')
      // Done by the cluster before it died, or never.
      return Math.random() < 0.5 ? { cut: true } : { reset: true }
    })
    let staging = false
    await change({ workflow_nodes: otherNodes() })
    const job = await startRun(world, flow)
    await until(async () => killed || (await behind()) !== old, Boolean, 180)
    assert.ok(killed, `fewer than ${point + 1} requests since the scan began`)
    await world.kill()
    await world.restart()
    proxy.on(() => undefined)
    const { details } = await finish(world, job)
    assert.equal(details.processing_status, 'SUCCESS', `killed at ${point}: ${details.message}`)
    assert.notEqual(await behind(), old)
    await assertAgreement(world)
    await verified()
  })

  test('it refuses to write into an alias that was moved back by hand', async () => {
    const now = await behind()
    const [old = ''] = (
      await world.api.get<ReplacedIndexes>(`/destinations/${flow.destinationId}/generations`)
    ).body.map(({ name }) => name)
    // From a space that has since left the wiki.
    const [{ _source: known } = assert.fail()] = await contents(world)
    const left = { ...structuredClone(known), record_id: known.record_id.replace(/[^/]*$/, '424242') }
    Object.assign(left.metadata.data_source.record_locator, { space_key: 'LEFT', page_id: '424242' })
    const stays = `/${old}/_doc/${elementKey(left.record_id, left.element_id)}?refresh=true`
    const put = await world.engine.adminFetch(stays, { method: 'PUT', body: left })
    assert.ok(put.ok, await put.text())
    await moveTo(old, now)
    const { status, details } = await run(world, flow)
    assert.equal(status, 'FAILED')
    assert.match(details.message ?? '', new RegExp(`Move the alias back to ${now}`))
    const repaired = await world.api.post<{ jobs: { id: string }[] }>(
      `/destinations/${flow.destinationId}/repair`,
      { approve_deletions: true },
    )
    assert.equal(repaired.status, 202, repaired.text)
    for (const { id } of repaired.body.jobs) await finish(world, id)
    await run(world, flow)
    assert.equal(await behind(), old)
    await assertAgreement(world)
    await verified()
  })

  test('it explains how to fix an alias that cannot be moved', async () => {
    const now = await behind()
    const set = (more: object) =>
      world.engine.adminFetch('/_aliases', {
        method: 'POST',
        body: { actions: [{ add: { index: now, alias, is_write_index: true, ...more } }] },
      })
    await set({ routing: '1' })
    await change({ workflow_nodes: otherNodes() })
    assert.match((await swaps()).details.message ?? '', /is an alias with index_routing, search_routing/)
    await world.engine.adminFetch(`/${now}/_alias/${alias}`, { method: 'DELETE' })
    await set({})
    await world.engine.adminFetch(`/${now}/_alias/${alias}-beside`, { method: 'PUT' })
    await change({ workflow_nodes: otherNodes() })
    assert.match((await swaps()).details.message ?? '', /would still point to the old index/)
    const check = await world.api.post<{ id: string }>(`/destinations/${flow.destinationId}/connection-check`)
    assert.equal(check.status, 202)
    type Checked = { status: string; steps: { name: string; status: string; detail: string }[] }
    const { body } = await until(
      () => world.api.get<Checked>(`/destinations/${flow.destinationId}/connection-check`),
      (answer) => answer.body.status !== 'SCHEDULED',
    )
    assert.deepEqual(
      [body.status, body.steps.at(-1)?.name, body.steps.at(-1)?.status],
      ['SUCCESS', 'swap', 'warning'],
    )
  })

  test('it does not swap above the deletion guard; the next run holds the removals back', async () => {
    await world.engine.adminFetch(`/${await behind()}/_alias/${alias}-beside`, { method: 'DELETE' })
    const nodes = otherNodes()
    await change({ workflow_nodes: nodes })
    const leaving = (await pageIds()).slice(0, 24)
    for (const id of leaving) await world.wiki.control.trashPage(id)
    const { swapped, details } = await swaps()
    assert.equal(swapped, false)
    assert.match(
      details.message ?? '',
      /24 documents left the source, more than may be removed without approval/,
    )
    assert.deepEqual(await visible(leaving), [], 'hidden in the searched index')
    const held = await swaps()
    assert.ok(held.warnings.includes('deletions_held_back'), held.details.message ?? '')
    const approve = () => world.api.post<{ removed: number }>(`/jobs/${held.id}/approve-deletions`)
    await change({ workflow_nodes: otherNodes() })
    assert.equal((await approve()).status, 409)
    await change({ workflow_nodes: nodes })
    const approved = await approve()
    assert.equal(approved.body.removed, 24, approved.text)
    await assertAgreement(world)
    await verified()
  })

  test('it applies changed permissions to pages that failed in a discarded swap', async () => {
    await run(world, flow)
    const [bad = '', same = '', other = ''] = await visible(await pageIds())
    const [person] = (await world.wiki.control.truth()).people
    await world.wiki.control.restrict(bad, { read: { users: [person?.accountId ?? ''] } })
    for (const id of [bad, same]) await world.wiki.control.setBinaryBody(id)
    await change({ workflow_nodes: otherNodes() })
    const { swapped, warnings } = await swaps()
    assert.equal(swapped, false)
    assert.deepEqual(await visible([same, other]), [same, other])
    // The regular writer may have brought the new permissions before the swap ended.
    const isHidden = warnings.includes('documents_hidden')
    assert.deepEqual(await visible([bad]), isHidden ? [] : [bad])
    // A restricted ancestor adds a clause, so that the resolved list may be empty.
    const isOther = (token: string) =>
      /^(user|group|class):/.test(token) && token !== `user:${person?.accountId}`
    for (const { _source: element } of byPage(await contents(world)).get(bad) ?? []) {
      const clauses = Object.values(element.metadata.data_source.access)
      assert.ok(
        clauses.some((tokens) => !tokens.some(isOther)),
        JSON.stringify(clauses),
      )
    }
    for (const id of [bad, same]) await world.wiki.control.editPage(id, { body: '<p>Mended.</p>' })
    assert.equal((await swaps()).details.processing_status, 'SUCCESS')
    await assertAgreement(world)
    await verified()
  })

  /** The pages that anyone finds. */
  const visible = async (ids: string[]) => {
    const pages = byPage(await contents(world))
    return ids.filter((id) =>
      (pages.get(id) ?? []).some(({ _source: { metadata } }) =>
        metadata.data_source.access.c0?.some((token) => /^(user|group|class):/.test(token)),
      ),
    )
  }
})
