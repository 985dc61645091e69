import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessItem, Destination, DocumentLocation, Source } from '../connectors/connector.ts'
import type { Entry } from '../ledger-entry.ts'
import { HIDDEN } from './data-source.ts'
import {
  applyRemoval,
  hidingOnly,
  type Listing,
  needsApproval,
  planRemoval,
  type RemovalPlan,
  withoutLooking,
} from './removal.ts'

const signal = new AbortController().signal

const whole = (...scopes: string[]) => ({
  closed: new Map(scopes.map((scope) => [scope, null])),
  complete: true,
})
/** Some scope failed. */
const partly = (...scopes: string[]) => ({ ...whole(...scopes), complete: false })

test('it removes what a closed scope did not show and the source says is gone, and looks for the rest', async () => {
  const left = await plan([entry('ENG', 1), entry('ENG', 2)], whole('ENG'), { 'ENG/1': null, 'ENG/2': 'ENG' })
  assert.deepEqual([ids(left.gone), movedOf(left)], [['ENG/1'], ['ENG/2']])
})

test('it keeps the documents of a scope that failed, and removes those of the others', async () => {
  const unseen = [entry('ENG', 1), entry('HR', 1)]
  const left = await plan(unseen, partly('ENG'), { 'ENG/1': null, 'HR/1': null })
  assert.deepEqual([ids(left.gone), ids(left.unreadable)], [['ENG/1'], []])
})

test('it keeps a scope missing from the listing unless the listing is complete', async () => {
  const unseen = [entry('OLD', 1)]
  assert.deepEqual(ids((await plan(unseen, partly('ENG'), { 'OLD/1': null })).gone), [])
  assert.deepEqual(ids((await plan(unseen, whole('ENG'), { 'OLD/1': null })).gone), ['OLD/1'])
})

test('it hides what went to a scope that failed, without looking for it there again', async () => {
  const left = await plan([entry('ENG', 1)], partly('ENG'), { 'ENG/1': 'SEC' })
  assert.deepEqual([ids(left.unreadable), left.moved], [['ENG/1'], []])
  assert.deepEqual(
    left.warnings.map(({ code, documents }) => [code, documents]),
    [['documents_hidden', 1]],
  )
})

test('it hides text of an earlier release where the scope failed', async () => {
  const { ownText: _, ...old } = entry('HR', 1)
  const left = await plan([old, entry('HR', 2)], partly('ENG'), {})
  assert.deepEqual(ids(left.unreadable), ['HR/1'])
  assert.match(left.warnings[0]?.message ?? '', /earlier release/)
})

test('it keeps and hides documents of another site and what the source cannot locate', async () => {
  const unseen = [entry('ENG', 1), entry('ENG', 2)]
  const strange = await plan(unseen, whole('ENG'), { 'ENG/2': null })
  assert.deepEqual([ids(strange.gone), ids(strange.unreadable), strange.foreign], [['ENG/2'], ['ENG/1'], 1])
  const [warning] = strange.warnings
  assert.deepEqual([warning?.code, warning?.documents], ['documents_hidden', 1])
  assert.match(warning?.message ?? '', /1 document .* another site \(ENG\)/)
  const index = indexOf(unseen)
  assert.equal(await applyRemoval(strange, index, signal), 1)
  assert.deepEqual([index.hidden, [...index.left.keys()]], [['ENG/1'], ['ENG/1']])
  const unknown = await plan([entry('ENG', 1)], whole('ENG'), { 'ENG/1': 'unknown' })
  assert.deepEqual([ids(unknown.gone), ids(unknown.unreadable)], [[], ['ENG/1']])
})

test('it removes below a limit only what is gone, and beyond it everything', async () => {
  const unseen = [entry('ENG', 1), entry('ENG', 2), entry('ENG', 9)]
  const left = await plan(unseen, cut, { 'ENG/1': 'ENG', 'ENG/2': null, 'ENG/9': 'ENG' })
  assert.deepEqual([ids(left.gone), ids(left.byLimit)], [['ENG/2'], ['ENG/9']])
  assert.deepEqual(
    left.warnings.map(({ code, documents }) => [code, documents]),
    [['removed_by_limit', 1]],
  )
})

test('a file goes with its page, by the position that both have', async () => {
  const file = (page: number, id: string) => ({ ...entry('ENG', page), recordId: `ENG/${id}` })
  const unseen = [file(5, 'att555'), file(5, 'att556'), entry('ENG', 9), file(9, 'att999')]
  const places = {
    'ENG/att555': ['ENG', 5],
    'ENG/att556': null,
    'ENG/9': 'ENG',
    'ENG/att999': ['ENG', 9],
  } satisfies Record<string, Place>
  const left = await plan(unseen, cut, places)
  assert.deepEqual([ids(left.gone), ids(left.byLimit)], [['ENG/att556'], ['ENG/9', 'ENG/att999']])
})

test('a file that went to a page beyond the limit leaves with it, wherever it was before', async () => {
  const moved = { ...entry('ENG', 3), recordId: 'ENG/att7' }
  const left = await plan([moved], cut, { 'ENG/att7': ['ENG', 9] })
  assert.deepEqual(ids(left.byLimit), ['ENG/att7'])
})

test('what was skipped is forgotten when it leaves, and is no removal by a limit', async () => {
  const skipped = { code: 'document_unsupported', message: 'a film', readable: '' }
  const left = await plan([{ ...entry('ENG', 9), skipped }], cut, { 'ENG/9': 'ENG' })
  assert.deepEqual([ids(left.byLimit), left.warnings], [['ENG/9'], []])
})

test('what went to another scope leaves beyond its limit, and within it has to be looked for there', async () => {
  const closed = new Map([
    ['ENG', null],
    ['SEC', position(5)],
  ])
  const unseen = [entry('ENG', 3), entry('ENG', 9)]
  const left = await plan(unseen, { closed, complete: true }, { 'ENG/3': 'SEC', 'ENG/9': 'SEC' })
  assert.deepEqual([ids(left.byLimit), movedOf(left)], [['ENG/9'], ['ENG/3']])
})

test('it hides what it holds back, over all scopes together, and removes it once approved', async () => {
  const unseen = ['A', 'B'].flatMap((scope) => Array.from({ length: 12 }, (_, at) => entry(scope, at)))
  const places = Object.fromEntries(unseen.map(({ recordId }) => [recordId, null]))
  const scene = { unseen, listing: partly('A', 'B'), places, known: 50 }
  const held = await planWith({ ...scene, approved: false })
  assert.equal(held.heldBack, 24)
  assert.match(held.warnings[0]?.message ?? '', /24 documents .* hidden, and agreeing removes/)
  const index = indexOf(unseen)
  assert.equal(await applyRemoval(held, index, signal), 0)
  assert.deepEqual([index.hidden.length, index.left.size], [24, 24])
  assert.ok([...index.left.values()].every(({ stateHash }) => stateHash === HIDDEN))

  const approved = await planWith({ ...scene, unseen: [...index.left.values()], approved: true })
  assert.equal(await applyRemoval(approved, index, signal), 24)
  assert.deepEqual([index.hidden.length, index.left.size], [24, 0])
})

test('it hides what was not found by looking again, and removes the rest', async () => {
  const unseen = [entry('ENG', 1), entry('ENG', 2)]
  const found = await plan(unseen, whole('ENG'), { 'ENG/1': null, 'ENG/2': 'ENG' })
  const index = indexOf(unseen)
  assert.equal(await applyRemoval(withoutLooking(found), index, signal), 1)
  assert.deepEqual([index.hidden, [...index.left.keys()]], [['ENG/2'], ['ENG/2']])
})

test('it hides all that would leave where nothing may be removed', async () => {
  const unseen = [entry('ENG', 1), entry('ENG', 2), entry('ENG', 9)]
  const found = await plan(unseen, cut, { 'ENG/1': null, 'ENG/2': 'ENG', 'ENG/9': 'ENG' })
  const index = indexOf(unseen)
  assert.equal(await applyRemoval(hidingOnly(found), index, signal), 0)
  assert.deepEqual(index.hidden, ['ENG/1', 'ENG/2', 'ENG/9'])
})

test('a person is asked above 30 % and above 20 documents, and not for either alone', () => {
  assert.equal(needsApproval(21, 60), true)
  assert.equal(needsApproval(20, 20), false)
  assert.equal(needsApproval(300, 1000), false)
  assert.equal(needsApproval(301, 1000), true)
})

function position(id: number): string {
  return String(id).padStart(20, '0')
}

function entry(scope: string, id: number): Entry {
  return {
    recordId: `${scope}/${id}`,
    scope,
    position: position(id),
    locator: {},
    version: '1',
    stateHash: '',
    settingsHash: '',
    elementIds: ['e'],
    settled: true,
    ownText: true,
  }
}

const cut = { closed: new Map([['ENG', position(5)]]), complete: true }

function ids(recordIds: ReadonlySet<string>): string[] {
  return [...recordIds]
}

function movedOf({ moved }: RemovalPlan): string[] {
  return moved.map(({ recordId }) => recordId)
}

function plan(unseen: Entry[], listing: Listing, places: Record<string, Place>): Promise<RemovalPlan> {
  return planWith({ unseen, listing, places, known: 1000, approved: false })
}

test('without locate it removes by the listing alone: nothing of an open scope or of another site', async () => {
  const source = { site: async () => ({ name: 'ENG' }) } as unknown as Source
  const planning = { source, known: 100, approved: false, approval: 'agreeing', signal }
  const cut = { closed: new Map([['A', position(5)]]), complete: false }
  const at = (scope: string, id: string, place: number): Entry => ({
    ...entry(scope, place),
    ...{ recordId: id, position: position(place) },
  })
  const unseen = [at('A', 'ENG/1', 3), at('A', 'ENG/2', 9), at('B', 'ENG/3', 1), at('A', 'OTHER/1', 3)]
  const left = await planRemoval(pagesOf(unseen), cut, planning)
  assert.deepEqual(
    [ids(left.gone), ids(left.byLimit), ids(left.unreadable), left.foreign],
    [['ENG/1'], ['ENG/2'], ['OTHER/1'], 1],
  )
  const complete = await planRemoval(pagesOf(unseen), { closed: new Map(), complete: true }, planning)
  assert.deepEqual(ids(complete.gone), ['ENG/1', 'ENG/2', 'ENG/3'])
  const many = Array.from({ length: 50 }, (_, place) => at('A', `ENG/${place}`, place))
  const guarded = await planRemoval(pagesOf(many), whole('A'), { ...planning, known: 60 })
  assert.equal(guarded.heldBack, 50, 'the guard holds them back')
})

type Scene = {
  unseen: Entry[]
  listing: Listing
  places: Record<string, Place>
  known: number
  approved: boolean
}

/** With a source that is asked about nothing but where documents are. */
async function planWith({ unseen, listing, places, ...guard }: Scene): Promise<RemovalPlan> {
  const told = Object.entries(places).map(([recordId, place]): [string, DocumentLocation] => {
    if (place === null || place === 'unknown') return [recordId, place]
    const [scope, at] = typeof place === 'string' ? [place, Number(recordId.split('/')[1])] : place
    return [recordId, { scope, position: position(at) }]
  })
  const source = { locate: async () => new Map(told) } as unknown as Source
  return planRemoval(pagesOf(unseen), listing, { ...guard, source, approval: 'agreeing', signal })
}

async function* pagesOf(entries: Entry[]): AsyncGenerator<Entry[]> {
  for (let at = 0; at < entries.length; at += 10) yield entries.slice(at, at + 10)
}

/** An index and its ledger, which hold the entries. */
function indexOf(entries: Entry[]) {
  const left = new Map(entries.map((entry) => [entry.recordId, entry]))
  const hidden: string[] = []
  const put = async (given: Entry[]) => given.forEach((each) => void left.set(each.recordId, each))
  const destination = {
    updateAccess: async (items: AccessItem[]) => {
      hidden.push(...items.map(({ recordId }) => recordId))
      return []
    },
    remove: async () => {},
  } as unknown as Destination
  return {
    ...{ left, hidden, destination },
    unseen: () => pagesOf([...left.values()]),
    removed: async () => {},
    ledger: {
      fence: 1,
      find: async () => left,
      intend: put,
      settle: put,
      forget: async (recordIds: string[]) => recordIds.forEach((id) => void left.delete(id)),
    },
  }
}

/** A scope, with the id there where it is not the record's own. */
type Place = null | string | [scope: string, id: number]
