import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertAgreement, contents, type Indexed } from '../world/agreement.ts'
import { type Flow, finish, makeFlow, run, startRun } from '../world/flow.ts'
import { openWorld, type World } from '../world/world.ts'

type Space = { space_key: string; missing: number; different: number; extra: number } & Record<
  'ledger_hash' | 'index_hash',
  string
>
type Finding = { kind: string; record_id: string; element_ids: string[]; reason: string }
type Verdict = { ok: boolean; spaces: Space[]; findings: Finding[]; foreign_elements: number }
type Repaired = Verdict & { removed_elements: number; jobs: { id: string }[] }

for (const destination of ['searchindex', 'postgres'] as const)
  describe(`comparing ${destination} with its ledger`, () => {
    let world: World
    let flow: Flow
    before(async () => {
      world = await openWorld({
        wiki: { seed: 34, pages: 60, spaces: 4, people: 10, groups: 4 },
        destination,
      })
      flow = await makeFlow(world)
      assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    })
    after(() => world.close())

    const verify = async () => {
      const answer = await world.api.post<Verdict>(`/destinations/${flow.destinationId}/verify`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const theirs = { record_id: 'another.wiki/1', element_id: 'x', text: 'theirs' }

    test('it finds no difference after a run, space by space', async () => {
      const { ok, spaces, findings } = await verify()
      assert.deepEqual(findings, [])
      assert.ok(ok && spaces.length >= 2)
      for (const space of spaces) assert.equal(space.ledger_hash, space.index_hash, space.space_key)
    })

    test('it refuses to compare an index during a run', async () => {
      await world.wiki.control.fail({ isHeld: true, times: null })
      const job = await startRun(world, flow)
      for (const path of ['verify', 'repair']) {
        const answer = await world.api.post(`/destinations/${flow.destinationId}/${path}`)
        assert.equal(answer.status, 409, answer.text)
        assert.match(answer.text, new RegExp(job))
      }
      await world.wiki.control.clearFaults()
      await finish(world, job)
    })

    describe('changed by another program', () => {
      let gone: Indexed
      let edited: Indexed
      let opened: Indexed
      let extra: Indexed['_source']
      before(async () => {
        const all = await contents(world)
        const pages = [...Map.groupBy(all, ({ _source }) => _source.record_id).values()]
        ;[gone, edited, opened] = pages.slice(0, 3).map(([first]) => first!) as [Indexed, Indexed, Indexed]
        await world.destination.delete(gone._id)
        const changed = structuredClone(edited._source)
        changed.text = 'something else'
        // An index counts the versions of an element; a change of a row is found by its metadata.
        if (destination === 'postgres') changed.metadata.data_source.title = 'something else'
        await world.destination.put(changed)
        const { metadata } = opened._source
        const data_source = { ...metadata.data_source, access: { c0: ['class:anonymous-users'] } }
        await world.destination.put({ ...opened._source, metadata: { ...metadata, data_source } })
        extra = { ...pages[3]![0]!._source, element_id: 'left-behind' }
        await world.destination.put(extra, 'left-behind')
        await world.destination.put(theirs, 'foreign')
      })

      test('it names each difference', async () => {
        const { ok, findings, spaces, foreign_elements: foreign } = await verify()
        assert.equal(ok, false)
        const found = new Map(findings.map((each) => [each.record_id, each]))
        assert.equal(found.size, 3, JSON.stringify(findings))
        const missing = found.get(gone._source.record_id)
        assert.deepEqual([missing?.kind, missing?.element_ids], ['missing', [gone._source.element_id]])
        const different = found.get(edited._source.record_id)
        assert.deepEqual(
          [different?.kind, different?.element_ids],
          ['different', [edited._source.element_id]],
        )
        assert.match(found.get(opened._source.record_id)?.reason ?? '', /permissions/)
        assert.ok(spaces.some((space) => space.ledger_hash !== space.index_hash))
        // One of them claims to be of our page, under an id that we would not have given it.
        assert.equal(foreign, 2)
      })

      test('it repairs the differences and nothing else', async () => {
        const before = new Map((await contents(world)).map((each) => [each._id, each]))
        const answer = await world.api.post<Repaired>(`/destinations/${flow.destinationId}/repair`)
        assert.equal(answer.status, 202, answer.text)
        const [job] = answer.body.jobs
        const { details } = await finish(world, job!.id)
        assert.deepEqual([details.processing_status, details.counts.discovered], ['SUCCESS', 3])
        const { ok, findings } = await verify()
        assert.deepEqual(findings, [])
        assert.ok(ok)
        const broken = [gone, edited, opened].map(({ _source }) => _source.record_id)
        for (const { _id, _source, _version } of await contents(world)) {
          if (broken.includes(_source.record_id)) continue
          assert.equal(_version, before.get(_id)?._version, _source.record_id)
        }
        await world.destination.delete('foreign')
        await world.destination.delete('left-behind')
        await assertAgreement(world)
      })
    })

    test('it removes many extra documents only after approval', async () => {
      const [first] = await contents(world)
      const { record_id } = first!._source
      const wiki = record_id.slice(0, record_id.lastIndexOf('/'))
      for (let index = 0; index < 60; index++) {
        const stray = { ...first!._source, record_id: `${wiki}/stray-${index}`, element_id: 'e' }
        await world.destination.put(stray)
      }
      const path = `/destinations/${flow.destinationId}/repair`
      const refused = await world.api.post(path)
      assert.equal(refused.status, 409, refused.text)
      assert.match(refused.text, /60 documents.*approve the removals/)
      assert.equal((await world.api.post(path, { approve: true })).status, 422)
      const agreed = await world.api.post<Repaired>(path, { approve_deletions: true })
      assert.equal(agreed.body.removed_elements, 60, agreed.text)
      assert.equal((await verify()).ok, true)
    })

    test('it removes extra elements under our ids and keeps foreign ones', async () => {
      const [first] = await contents(world)
      await world.destination.put({ ...first!._source, element_id: 'stale' })
      await world.destination.put(theirs, 'theirs')
      const { findings } = await verify()
      assert.deepEqual(
        findings.map(({ kind, element_ids }) => [kind, element_ids]),
        [['extra', ['stale']]],
      )
      const repaired = await world.api.post<Repaired>(`/destinations/${flow.destinationId}/repair`)
      assert.deepEqual([repaired.body.removed_elements, repaired.body.jobs], [1, []])
      assert.equal((await verify()).ok, true)
      assert.ok((await contents(world)).some(({ _id }) => _id === 'theirs'))
      await world.destination.delete('theirs')
    })
  })
