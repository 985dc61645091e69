import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListingPage, ReadOutcome, Source } from '../../src/connectors/source.ts'
import type { SourceCapability, SourceType } from '../../src/connectors/type.ts'
import type { DocumentRef } from '../../src/document.ts'
import type { AppError } from '../../src/errors.ts'
import { siteOfRecord } from '../../src/record-id.ts'
import { typeContract } from './type.ts'

/** A source with documents in at least two scopes. */
export type SourceUnderTest = {
  source: Source
  /** The minimum number of check steps. */
  steps?: number
  deleteDocument(recordId: string): Promise<void>
}

/** The contract of every source. */
export function sourceContract(type: SourceType, opened: () => SourceUnderTest): void {
  const { signal } = new AbortController()
  const listed = () => Array.fromAsync(opened().source.list(signal))
  const anything = () => true
  const refsOf = (pages: ListingPage[]) => pages.flatMap((page) => (page.kind === 'refs' ? page.refs : []))

  const has = (capability: SourceCapability) => type.capabilities.includes(capability)

  typeContract(type)

  test('it has the capabilities that its type declares', () => {
    const all: SourceCapability[] = [
      ...(['relist', 'locate', 'people', 'emails', 'ownAccount'] as const),
      ...(['levels', 'scopes', 'checkPermission', 'readVersion'] as const),
    ]
    const { source } = opened()
    assert.deepEqual(
      all.filter((name) => source[name] !== undefined),
      all.filter(has),
    )
  })

  test('it starts record ids with the site and names the scope in locators', async () => {
    const { name } = await opened().source.site(signal)
    for (const { recordId, locator } of refsOf(await listed())) {
      assert.equal(siteOfRecord(recordId), name)
      assert.ok(locator.space_key, 'space_key of the locator')
    }
  })

  test('it gives every document `c0` and no empty clause', async () => {
    for (const { recordId, access } of refsOf(await listed())) {
      assert.ok(access.clauses.c0, recordId)
      for (const entries of Object.values(access.clauses)) assert.ok(entries.length > 0, recordId)
    }
  })

  test('it names its site in permission sets', async () => {
    const { name } = await opened().source.site(signal)
    for (const { recordId, access } of refsOf(await listed()))
      if (access.set) assert.equal(access.set.site, name, recordId)
  })

  test('it names its check steps and passes', async () => {
    const report = await opened().source.check(signal)
    assert.equal(report.ok, true, JSON.stringify(report))
    assert.ok(report.steps.length >= (opened().steps ?? 1))
    for (const step of report.steps) assert.ok(step.name && step.detail)
  })

  test('it lists each scope in ascending order with one end, and complete last', async () => {
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

  test('it never separates refs with the same position', async () => {
    const lastOf = new Map<string, string | undefined>()
    for (const page of await listed()) {
      if (page.kind !== 'refs') continue
      assert.notEqual(page.refs[0]?.position, lastOf.get(page.scope) ?? '')
      lastOf.set(page.scope, page.refs.at(-1)?.position)
    }
  })

  test('it continues a listing, or starts it again', async () => {
    const pages = await listed()
    const [first] = pages.flatMap((page) => (page.kind === 'refs' ? [page] : []))
    assert.ok(first)
    const ended = new Set(
      pages.flatMap((page) => (page.kind === 'end' && page.scope !== first.scope ? [page.scope] : [])),
    )
    const position = first.refs.at(-1)?.position ?? ''
    const from = { ended, after: new Map([[first.scope, position]]) }
    const continued = await Array.fromAsync(opened().source.list(signal, from))
    assert.equal(continued.at(-1)?.kind, 'complete')
    const isAfter = (ref: DocumentRef) => ref.scope === first.scope && ref.position > position
    assert.deepEqual(refsOf(continued).filter(isAfter), refsOf(pages).filter(isAfter))
    assert.ok(continued.some((page) => page.kind === 'end' && page.scope === first.scope))
  })

  test('it lists the same refs twice', async () => {
    const [once, again] = [refsOf(await listed()), refsOf(await listed())]
    const inOrder = (refs: typeof once) => refs.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
    assert.deepEqual(inOrder(once), inOrder(again))
  })

  test('it returns one outcome for every ref', async () => {
    const refs = refsOf(await listed()).slice(0, 70)
    const seen: string[] = []
    for await (const outcome of opened().source.read(refs, anything, signal)) {
      seen.push(outcome.ref.recordId)
      assert.ok('document' in outcome, 'error' in outcome ? outcome.error.message : '')
      assert.equal(outcome.document.version, outcome.ref.version)
    }
    assert.deepEqual(seen.toSorted(), refs.map((ref) => ref.recordId).toSorted())
  })

  test('it rejects files that are not accepted, but reads rendered documents', async () => {
    const refs = refsOf(await listed()).slice(0, 70)
    const outcomes = await Array.fromAsync(opened().source.read(refs, () => false, signal))
    assert.equal(outcomes.length, refs.length)
    for (const outcome of outcomes) {
      if ('document' in outcome) assert.equal(typeof outcome.document.body, 'string')
      else assert.ok('error' in outcome && outcome.error.code === 'document_unsupported')
    }
  })

  test('it ends a cancelled listing with an error, never with complete', async () => {
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

  test('it locates a deleted document as gone and reads the others', async () => {
    const [gone, there] = refsOf(await listed()).slice(-2)
    assert.ok(gone && there)
    await opened().deleteDocument(gone.recordId)
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
    if (has('relist'))
      assert.deepEqual((await opened().source.relist?.([gone, there], signal))?.refs, [there])
    const outcomes = await Array.fromAsync(opened().source.read([gone, there], anything, signal))
    const error = outcomes.find((outcome) => outcome.ref.recordId === gone.recordId)
    assert.ok(error && 'error' in error && error.error.code === 'document_gone')
    assert.ok(outcomes.some((outcome) => 'document' in outcome && outcome.ref.recordId === there.recordId))
  })

  if (has('relist'))
    test('it reads the refs of known documents as a listing gives them', async () => {
      const refs = refsOf(await listed())
      const before = new Date()
      const again = await opened().source.relist?.(refs, signal)
      const inOrder = (all: typeof refs) => all.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
      assert.deepEqual(inOrder(again?.refs ?? []), inOrder(refs))
      assert.ok(again && again.asOf >= before)
    })

  test('it refuses documents of another site, even if it has one with their id', async () => {
    const { source } = opened()
    const [ref] = refsOf(await listed())
    assert.ok(ref)
    const id = ref.recordId.slice(ref.recordId.lastIndexOf('/'))
    const { name } = await source.site(signal)
    // The second one begins as a record id of this site.
    for (const site of ['elsewhere.example', `${name}/below`]) {
      const foreign: DocumentRef = { ...ref, recordId: `${site}${id}` }
      const refused = { code: 'other_site' }
      const outcomes: ReadOutcome[] = await Array.fromAsync(source.read([foreign, ref], anything, signal))
      assert.deepEqual(
        outcomes
          .map((outcome) => ['error' in outcome && outcome.error.code, outcome.ref.recordId])
          .toSorted(),
        [
          ['other_site', foreign.recordId],
          [false, ref.recordId],
        ].toSorted(),
      )
      if (has('relist')) assert.deepEqual((await source.relist?.([foreign], signal))?.refs, [])
      if (has('locate')) assert.deepEqual(await source.locate?.([foreign], signal), new Map())
      if (has('levels')) await assert.rejects(async () => source.levels?.(foreign, signal), refused)
      const question = { user: 'ann', operation: 'read' as const, document: foreign }
      if (has('checkPermission'))
        await assert.rejects(async () => source.checkPermission?.(question, signal), refused)
      if (has('readVersion'))
        await assert.rejects(async () => source.readVersion?.(foreign, ref.version, signal), refused)
    }
  })

  if (has('people'))
    test('it finds people by the beginning of a name and by id', async () => {
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
      const unknownPerson = await people.groupsOf('nobody at all', signal)
      assert.deepEqual(
        [unknownPerson.account, unknownPerson.groups],
        ['unknown', []],
        'an unknown account is a visitor',
      )
    })

  if (has('people'))
    test('it names people and groups, and leaves out unknown ones', async () => {
      const people = opened().source.people ?? assert.fail('no people')
      if (!people.names) return
      const first = (await people.find('', signal)).find(({ name }) => name) ?? assert.fail('no person')
      const { groups } = await people.groupsOf(first.id, signal)
      const named = await people.names({ users: [first.id, 'nobody-at-all'], groups }, signal)
      assert.deepEqual([...named.users], [[first.id, first.name]])
      assert.deepEqual([...named.groups.keys()].sort(), [...groups].sort())
      assert.deepEqual(await people.names({ users: [], groups: [] }, signal), {
        ...{ users: new Map(), groups: new Map() },
      })
    })

  if (has('levels'))
    test('it returns the levels of a document from its scope down', async () => {
      const [ref] = refsOf(await listed())
      const levels = await opened().source.levels?.(ref ?? assert.fail('no document'), signal)
      assert.equal(levels?.[0]?.level, 'space')
    })

  if (has('emails'))
    test('it lists people once each, or says that it cannot', async () => {
      const people = await opened().source.emails!(signal).catch((error: AppError) => {
        assert.ok(error.code === 'not_possible' && error.fix, error.message)
        return null
      })
      if (!people) return
      assert.ok(people.length > 0)
      assert.equal(new Set(people.map(({ account }) => account)).size, people.length)
      for (const { email } of people) assert.ok(email === null || email.includes('@'), String(email))
    })

  if (has('ownAccount'))
    test('it names the account of its credentials', async () => {
      const { id } = await opened().source.ownAccount!(signal)
      assert.ok(id)
      if (has('people')) assert.equal((await opened().source.people!.groupsOf(id, signal)).account, 'known')
    })

  if (has('readVersion'))
    test('it reads a version by its name, and refuses one that it does not have', async () => {
      const [ref] = refsOf(await listed())
      assert.ok(ref)
      const { source } = opened()
      const read = await source.readVersion!(ref, ref.version, signal)
      assert.deepEqual([read.version, read.ref.recordId], [ref.version, ref.recordId])
      await assert.rejects(source.readVersion!(ref, '999999', signal), { code: 'document_gone' })
    })

  if (has('scopes'))
    test('it returns the scopes that it lists', async () => {
      const keys = new Set(refsOf(await listed()).map(({ locator }) => locator.space_key))
      const scopes = (await opened().source.scopes?.(signal)) ?? []
      assert.deepEqual(
        [...keys].filter((key) => !scopes.some((scope) => scope.key === key)),
        [],
      )
    })
}
