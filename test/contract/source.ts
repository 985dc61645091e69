import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListingPage, Source, SourceCapability, SourceType } from '../../src/connectors/connector.ts'
import { siteOfRecord } from '../../src/record-id.ts'
import { typeContract } from './type.ts'

/** A source on a system with documents in at least two scopes, one of which can be deleted. */
export type SourceUnderTest = {
  source: Source
  /** The least number of steps of its check. */
  steps?: number
  takeAway(recordId: string): Promise<void>
}

/** The contract of every source; its own tests cover only its particulars. */
export function sourceContract(type: SourceType, opened: () => SourceUnderTest): void {
  const { signal } = new AbortController()
  const listed = () => Array.fromAsync(opened().source.list(signal))
  const anything = () => true
  const refsOf = (pages: ListingPage[]) => pages.flatMap((page) => (page.kind === 'refs' ? page.refs : []))

  const has = (capability: SourceCapability) => type.capabilities.includes(capability)

  typeContract(type)

  test('it has the capabilities that its type declares', () => {
    const all: SourceCapability[] = ['locate', 'people', 'levels', 'scopes', 'permits']
    const { source } = opened()
    assert.deepEqual(
      all.filter((name) => source[name] !== undefined),
      all.filter(has),
    )
  })

  test('its record ids begin with the site, and its locators name the scope', async () => {
    const { name } = await opened().source.site(signal)
    for (const { recordId, locator } of refsOf(await listed())) {
      assert.equal(siteOfRecord(recordId), name)
      assert.ok(locator.space_key, 'space_key of the locator')
    }
  })

  test('every document has permissions: `c0`, and no clause without an entry', async () => {
    for (const { recordId, access } of refsOf(await listed())) {
      assert.ok(access.clauses.c0, recordId)
      for (const entries of Object.values(access.clauses)) assert.ok(entries.length > 0, recordId)
    }
  })

  test('its check names its steps and passes', async () => {
    const report = await opened().source.check(signal)
    assert.equal(report.ok, true, JSON.stringify(report))
    assert.ok(report.steps.length >= (opened().steps ?? 1))
    for (const step of report.steps) assert.ok(step.name && step.detail)
  })

  test('a listing goes upwards within each scope, closes each once, and says last that it is complete', async () => {
    const pages = await listed()
    assert.equal(pages.at(-1)?.kind, 'complete')
    assert.equal(pages.filter((page) => page.kind === 'complete').length, 1)
    const closed = pages.flatMap((page) => (page.kind === 'end' ? [page.scope] : []))
    assert.equal(new Set(closed).size, closed.length)
    assert.ok(closed.length >= 2)
    for (const [scope, refs] of Map.groupBy(refsOf(pages), (ref) => ref.scope)) {
      assert.ok(closed.includes(scope))
      const end = pages.findIndex((page) => page.kind === 'end' && page.scope === scope)
      assert.ok(
        pages.findLastIndex((page) => page.kind === 'refs' && page.scope === scope) < end,
        'nothing after its end',
      )
      const positions = refs.map((ref) => ref.position)
      assert.deepEqual(positions, positions.toSorted())
    }
    const ids = refsOf(pages).map((ref) => ref.recordId)
    assert.equal(new Set(ids).size, ids.length)
  })

  test('two listings of the same say the same', async () => {
    const [once, again] = [refsOf(await listed()), refsOf(await listed())]
    const inOrder = (refs: typeof once) => refs.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
    assert.deepEqual(inOrder(once), inOrder(again))
  })

  test('every ref that is read has exactly one outcome', async () => {
    const refs = refsOf(await listed()).slice(0, 70)
    const seen: string[] = []
    for await (const outcome of opened().source.read(refs, anything, signal)) {
      seen.push(outcome.ref.recordId)
      assert.ok('document' in outcome, 'error' in outcome ? outcome.error.message : '')
      assert.equal(outcome.document.version, outcome.ref.version)
    }
    assert.deepEqual(seen.toSorted(), refs.map((ref) => ref.recordId).toSorted())
  })

  test('a file of no use is unsupported, and what the source renders itself is read all the same', async () => {
    const refs = refsOf(await listed()).slice(0, 70)
    const outcomes = await Array.fromAsync(opened().source.read(refs, () => false, signal))
    assert.equal(outcomes.length, refs.length)
    for (const outcome of outcomes) {
      if ('document' in outcome) assert.equal(typeof outcome.document.body, 'string')
      else assert.ok('error' in outcome && outcome.error.code === 'document_unsupported')
    }
  })

  test('a listing that is called off ends with an error, never with complete', async () => {
    const stopping = new AbortController()
    const kinds: string[] = []
    await assert.rejects(async () => {
      for await (const page of opened().source.list(stopping.signal)) {
        kinds.push(page.kind)
        stopping.abort()
      }
    })
    assert.ok(!kinds.includes('complete'))
  })

  test('what was taken away is located as gone, fails to be read alone, and what is there is not gone', async () => {
    const [gone, there] = refsOf(await listed()).slice(-2)
    assert.ok(gone && there)
    await opened().takeAway(gone.recordId)
    const listedNow = refsOf(await listed()).map(({ recordId }) => recordId)
    assert.ok(!listedNow.includes(gone.recordId) && listedNow.includes(there.recordId))
    assert.equal(has('locate'), opened().source.locate !== undefined)
    if (has('locate'))
      assert.deepEqual(
        await opened().source.locate?.([gone, there], signal),
        new Map([
          [gone.recordId, null],
          [there.recordId, { scope: there.scope, position: there.position }],
        ]),
      )
    const outcomes = await Array.fromAsync(opened().source.read([gone, there], anything, signal))
    const error = outcomes.find((outcome) => outcome.ref.recordId === gone.recordId)
    assert.ok(error && 'error' in error && error.error.code === 'document_gone')
    assert.ok(outcomes.some((outcome) => 'document' in outcome && outcome.ref.recordId === there.recordId))
  })

  if (has('people'))
    test('people are found by the beginning of a name, and by their id', async () => {
      const people = opened().source.people ?? assert.fail('no people')
      const first = (await people.find('', signal)).find(({ name }) => name)
      assert.ok(first?.name)
      for (const text of [first.id, first.name.split(' ')[0] ?? '']) {
        const found = await people.find(text, signal)
        assert.ok(
          found.some(({ id, name }) => id === first.id && name === first.name),
          `${text}: ${JSON.stringify(found)}`,
        )
        assert.ok(found.length <= 20)
      }
      assert.deepEqual(await people.find('Nobody "at" all', signal), [])
      const accounts: string[] = []
      for (const { id } of await people.find('', signal))
        accounts.push((await people.groupsOf(id, signal)).account)
      assert.ok(accounts.includes('known'), accounts.join())
      const stranger = await people.groupsOf('nobody at all', signal)
      assert.deepEqual(
        [stranger.account, stranger.groups],
        ['unknown', []],
        'an unknown account is a visitor',
      )
    })

  if (has('levels'))
    test('the levels of a document begin with its scope', async () => {
      const [ref] = refsOf(await listed())
      const levels = await opened().source.levels?.(ref ?? assert.fail('no document'), signal)
      assert.equal(levels?.[0]?.level, 'space')
    })

  if (has('scopes'))
    test('its scopes are those that it lists', async () => {
      const keys = new Set(refsOf(await listed()).map(({ locator }) => locator.space_key))
      const scopes = (await opened().source.scopes?.(signal)) ?? []
      assert.deepEqual(
        [...keys].filter((key) => !scopes.some((scope) => scope.key === key)),
        [],
      )
    })
}
