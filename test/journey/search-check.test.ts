import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import { contents } from '../world/agreement.ts'
import { type Flow, makeFlow, run } from '../world/flow.ts'
import { ALL_PEOPLE, annAndBen, onlyFor } from '../world/small-world.ts'
import { type Fault, fault } from '../world/wiki/faults.ts'
import { destinationConfig, openWorld, type World } from '../world/world.ts'

type Found = {
  total: number
  total_relation: 'eq' | 'lte'
  incomplete: boolean
  unknown_document: number
  hidden: { workflow_id: string; scope: string; reason: string; proved_at: string | null }[]
  hits: { record_id: string; element_id: string; title: string }[]
}

const PAGES = 24

for (const destination of ['searchindex', 'postgres'] as const)
  describe(`a search in ${destination} checks its hits against the ledger`, () => {
    let world: World
    let flow: Flow
    let db: Database
    let [ann, ben, scope] = ['', '', '']
    before(async () => {
      world = await openWorld({ wiki: { seed: 61, pages: 8, spaces: 1, people: 8, groups: 3 }, destination })
      const { control } = world.wiki
      ;[ann, ben] = await annAndBen(world.wiki)
      await control.addSpace({ key: 'QUA', name: 'Quaggas', permissions: ALL_PEOPLE })
      await control.addSpace({ key: 'ANN', name: 'Only Ann', permissions: onlyFor(ann) })
      for (let page = 1; page <= PAGES; page++)
        await control.createPage({ space: 'QUA', title: `Page ${page}`, body: `<p>The quagga ${page}.</p>` })
      await control.createPage({ space: 'ANN', title: 'Of Ann', body: '<p>The quagga of Ann.</p>' })
      flow = await makeFlow(world, { source: { spaces: ['QUA', 'ANN'] } })
      assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
      await world.destination.refresh()
      db = openDatabase(world.databaseUrl)
      scope = (
        await sql<{ scope: string }>`select distinct scope from wanted_documents
        where ref->>'title' = 'Page 1'`.execute(db)
      ).rows[0]!.scope
    })
    after(async () => {
      await closeDatabase(db)
      await world.close()
    })

    const ask = (body: object, destinationId = flow.destinationId) =>
      world.api.post<Found>(`/destinations/${destinationId}/search`, {
        query: 'quagga',
        as: { user: ben },
        size: 100,
        ...body,
      })
    const search = async (body: object = {}, destinationId = flow.destinationId) => {
      const answer = await ask(body, destinationId)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const titles = ({ hits }: Found) => [...new Set(hits.map(({ title }) => title))].sort()
    /** As a permission pass does when it has read a restriction, before the index is written. */
    const revoke = (where: string) =>
      sql`with closed as (
        insert into permission_sets (workflow_id, key, access, hash, as_of)
        select ${flow.workflowId}::uuid, ${where}, '{"permissions": [], "levels": [{"who": ["user:no-one"]}]}', '', now()
        returning id)
      update wanted_documents set set_id = closed.id from closed where ref->>'title' ~ ${where}`.execute(db)

    test('it finds everything that the ledger admits, with an exact total', async () => {
      const found = await search()
      assert.equal(titles(found).filter((title) => title.startsWith('Page ')).length, PAGES)
      assert.deepEqual(
        [found.total, found.total_relation, found.incomplete, found.unknown_document, found.hidden],
        [found.hits.length, 'eq', false, 0, []],
      )
    })

    test('it does not find a document that is revoked in the ledger but not yet in the index', async () => {
      const { total } = await search()
      await revoke('^Page 7$')
      const found = await search()
      assert.ok(!titles(found).includes('Page 7'))
      assert.equal(found.total, total - 1)
      const held = (await contents(world)).filter(
        ({ _source }) => _source.metadata.data_source.title === 'Page 7',
      )
      assert.ok(held.length > 0 && held.every(({ _source }) => !JSON.stringify(_source).includes('no-one')))
    })

    test('it does not find a hidden document', async () => {
      await sql`update wanted_documents set hidden = 'unlisted' where ref->>'title' = 'Page 8'`.execute(db)
      assert.ok(!titles(await search()).includes('Page 8'))
    })

    test('it pages over excluded hits without gaps or repeats', async () => {
      await revoke('^Page 1[0-9]$')
      const whole = (await search()).hits.map(({ element_id: id }) => id)
      assert.ok(whole.length >= PAGES - 12)
      for (const size of [1, 5]) {
        const pages: string[] = []
        for (let from = 0; from < whole.length + size; from += size) {
          const page = await search({ from, size })
          assert.ok(
            page.total >= whole.length && !page.incomplete,
            JSON.stringify({ whole, from, size, page }),
          )
          assert.equal(page.hits.length, Math.max(0, Math.min(size, whole.length - from)))
          pages.push(...page.hits.map(({ element_id: id }) => id))
        }
        assert.deepEqual(pages, whole)
      }
    })

    test('it checks a search through another connector of the same index', async () => {
      const config = destinationConfig(world)
      const made = await world.api.post<{ id: string }>('/destinations', {
        name: 'the same index',
        type: world.destination.type,
        config,
      })
      assert.equal(made.status, 200, made.text)
      const found = await search({}, made.body.id)
      assert.deepEqual(titles(found), titles(await search()))
      assert.deepEqual([found.unknown_document, titles(found).includes('Page 7')], [0, false])
    })

    test('it counts a document that no ledger knows and does not show it', async () => {
      const [known] = await contents(world, { isWanted: ({ _source }) => _source.text.includes('quagga') })
      const body = { ...known!._source, record_id: 'command.line/1', element_id: 'other' }
      body.metadata.data_source.access = { c0: ['class:anonymous-users'] }
      await world.destination.put(body, 'other')
      const found = await search()
      assert.equal(found.unknown_document, 1)
      assert.ok(!found.hits.some(({ element_id: id }) => id === 'other'))
      assert.equal(found.total, found.hits.length)
    })

    test('it hides a scope that is older than the maximum age, and reports it', async () => {
      const before = await search()
      const proved = await setScope(sql`now() - interval '25 hours'`)
      const stale = await search()
      assert.deepEqual(titles(stale), [])
      const workflow = { workflow_id: flow.workflowId, scope }
      assert.deepEqual(stale.hidden, [{ ...workflow, reason: 'stale', proved_at: proved?.toISOString() }])
      assert.deepEqual(titles(await search({ as: { user: ann } })), ['Of Ann'], 'other scopes stay')

      await setScope(sql`null`)
      const never = await search()
      assert.deepEqual(titles(never), [])
      assert.deepEqual(never.hidden, [{ ...workflow, reason: 'never', proved_at: null }])

      await sql`update workflows set max_permission_age_hours = null`.execute(db)
      const unlimited = await search()
      assert.deepEqual([titles(unlimited), unlimited.hidden], [titles(before), []])
      await sql`update workflows set max_permission_age_hours = 24`.execute(db)
      await setScope(sql`now()`)
      assert.deepEqual(titles(await search()), titles(before))
    })

    async function setScope(provedAt: ReturnType<typeof sql>): Promise<Date | null> {
      const { rows } = await sql<{
        proved_at: Date | null
      }>`update workflow_scopes set proved_at = ${provedAt}
      where scope = ${scope} returning proved_at`.execute(db)
      return rows[0]?.proved_at ?? null
    }

    // Memberships do not depend on the destination.
    if (destination === 'searchindex') {
      test('it works from stored memberships while the wiki is away', async () => {
        const everything = { as: { user: ann } }
        const annsTitles = titles(await search(everything))
        assert.ok(annsTitles.includes('Of Ann'))
        const faults: [string, Fault][] = [
          ['hangs', { breaks: 'hang' }],
          ['unavailable', fault.unavailable()],
          ['rejects the token', fault.unauthorized()],
        ]
        for (const [name, each] of faults) {
          await restartWith({ ...each, times: null })
          assert.deepEqual(titles(await search(everything)), annsTitles, name)
        }
        const tokens = await world.api.get<{ tokens: string[] }>(
          `/destinations/${flow.destinationId}/tokens?user=${ann}`,
        )
        assert.ok(tokens.body.tokens.includes(`user:${ann}`), tokens.text)

        const stranger = await ask({ as: { user: '557058:not-asked-before' } })
        assert.equal(stranger.status, 502, stranger.text)
        await sql`update memberships set read_at = now() - interval '25 hours' where person = ${ben}`.execute(
          db,
        )
        const tooOld = await ask({})
        assert.equal(tooOld.status, 502, tooOld.text)
        await sql`update workflows set max_permission_age_hours = null`.execute(db)
        assert.equal((await ask({})).status, 200)
        await sql`update workflows set max_permission_age_hours = 24`.execute(db)
      })

      test('it takes the answer of the wiki as soon as the wiki is back', async () => {
        await world.wiki.control.clearFaults()
        await world.wiki.control.setPerson(ann, { active: false })
        await restartWith(null)
        assert.deepEqual(titles(await search({ as: { user: ann } })), [])
        await restartWith({ ...fault.unavailable(), times: null })
        assert.deepEqual(titles(await search({ as: { user: ann } })), [], 'inactive is stored too')
        await world.wiki.control.clearFaults()
      })
    }

    /** A new process has nothing in its cache; only the pause after a 503 would last. */
    async function restartWith(each: Fault | null): Promise<void> {
      await world.millrace.end('SIGKILL')
      await sql`truncate site_pauses`.execute(db)
      await world.wiki.control.clearFaults()
      if (each) await world.wiki.control.fail(each)
      await world.restart()
    }

    test('it does not show elements of a deleted workflow', async () => {
      await restartWith(null)
      const { total } = await search()
      assert.ok(total > 0)
      assert.equal((await world.api.delete(`/workflows/${flow.workflowId}`)).status, 200)
      const found = await search({ as: { groups: [], user: ben } })
      assert.deepEqual([found.hits, found.total], [[], 0])
      assert.ok((await contents(world)).length > total)
    })
  })
