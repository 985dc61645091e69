import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessItem, Destination } from '../connectors/destination.ts'
import type { DocumentLocation, Source } from '../connectors/source.ts'
import type { Entry } from '../ledger-entry.ts'
import { HIDDEN_STATE } from './data-source.ts'
import {
  applyRemoval,
  hideInsteadOfRemoving,
  hideMoved,
  type ListingResult,
  needsApproval,
  planRemoval,
  type RemovalPlan,
} from './removal.ts'

const signal = new AbortController().signal

const whole = (...scopes: string[]) => ({
  closed: new Map(scopes.map((scope) => [scope, null])),
  complete: true,
})
/** A listing in which another scope failed. */
const partly = (...scopes: string[]) => ({ ...whole(...scopes), complete: false })

test('it removes missing documents that are gone, and lists the others again', async () => {
  const left = await plan([entry('ENG', 1), entry('ENG', 2)], whole('ENG'), { 'ENG/1': null, 'ENG/2': 'ENG' })
  assert.deepEqual([ids(left.gone), movedOf(left)], [['ENG/1'], ['ENG/2']])
})

test('it keeps documents of a failed scope and removes those of other scopes', async () => {
  const unlisted = [entry('ENG', 1), entry('HR', 1)]
  const left = await plan(unlisted, partly('ENG'), { 'ENG/1': null, 'HR/1': null })
  assert.deepEqual([ids(left.gone), ids(left.toHide)], [['ENG/1'], []])
})

test('it keeps a scope missing from the listing unless the listing is complete', async () => {
  const unlisted = [entry('OLD', 1)]
  assert.deepEqual(ids((await plan(unlisted, partly('ENG'), { 'OLD/1': null })).gone), [])
  assert.deepEqual(ids((await plan(unlisted, whole('ENG'), { 'OLD/1': null })).gone), ['OLD/1'])
})

test('it hides documents that moved to a failed scope, and does not list them again', async () => {
  const left = await plan([entry('ENG', 1)], partly('ENG'), { 'ENG/1': 'SEC' })
  assert.deepEqual([ids(left.toHide), left.moved], [['ENG/1'], []])
  assert.deepEqual(
    left.warnings.map(({ code, documents }) => [code, documents]),
    [['documents_hidden', 1]],
  )
})

test('it hides documents of another site, and those the source cannot locate', async () => {
  const unlisted = [entry('ENG', 1), entry('ENG', 2)]
  const foreign = await plan(unlisted, whole('ENG'), { 'ENG/2': null })
  assert.deepEqual([ids(foreign.gone), ids(foreign.toHide), foreign.foreign], [['ENG/2'], ['ENG/1'], 1])
  const [warning] = foreign.warnings
  assert.deepEqual([warning?.code, warning?.documents], ['documents_hidden', 1])
  assert.match(warning?.message ?? '', /1 document .* another site \(ENG\)/)
  const index = indexOf(unlisted)
  assert.equal(await applyRemoval(foreign, index, signal), 1)
  assert.deepEqual([index.hidden, [...index.left.keys()]], [['ENG/1'], ['ENG/1']])
  const unknown = await plan([entry('ENG', 1)], whole('ENG'), { 'ENG/1': 'unknown' })
  assert.deepEqual([ids(unknown.gone), ids(unknown.toHide)], [[], ['ENG/1']])
})

test('it removes all documents beyond a limit, and only gone ones before it', async () => {
  const unlisted = [entry('ENG', 1), entry('ENG', 2), entry('ENG', 9)]
  const left = await plan(unlisted, cut, { 'ENG/1': 'ENG', 'ENG/2': null, 'ENG/9': 'ENG' })
  assert.deepEqual([ids(left.gone), ids(left.byLimit)], [['ENG/2'], ['ENG/9']])
  assert.deepEqual(
    left.warnings.map(({ code, documents }) => [code, documents]),
    [['removed_by_limit', 1]],
  )
})

test('it treats a file like its page, which has the same position', async () => {
  const file = (page: number, id: string) => ({ ...entry('ENG', page), recordId: `ENG/${id}` })
  const unlisted = [file(5, 'att555'), file(5, 'att556'), entry('ENG', 9), file(9, 'att999')]
  const locations = {
    'ENG/att555': ['ENG', 5],
    'ENG/att556': null,
    'ENG/9': 'ENG',
    'ENG/att999': ['ENG', 9],
  } satisfies Record<string, TestLocation>
  const left = await plan(unlisted, cut, locations)
  assert.deepEqual([ids(left.gone), ids(left.byLimit)], [['ENG/att556'], ['ENG/9', 'ENG/att999']])
})

test('it removes a file that moved to a page beyond the limit', async () => {
  const moved = { ...entry('ENG', 3), recordId: 'ENG/att7' }
  const left = await plan([moved], cut, { 'ENG/att7': ['ENG', 9] })
  assert.deepEqual(ids(left.byLimit), ['ENG/att7'])
})

test('it drops entries of skipped documents without counting a removal', async () => {
  const skipped = { code: 'document_unsupported', message: 'a film', readable: '' }
  const left = await plan([{ ...entry('ENG', 9), skipped }], cut, { 'ENG/9': 'ENG' })
  assert.deepEqual([ids(left.byLimit), left.warnings], [['ENG/9'], []])
})

test('it removes documents that moved beyond the limit of another scope, and lists the others again', async () => {
  const closed = new Map([
    ['ENG', null],
    ['SEC', position(5)],
  ])
  const unlisted = [entry('ENG', 3), entry('ENG', 9)]
  const left = await plan(unlisted, { closed, complete: true }, { 'ENG/3': 'SEC', 'ENG/9': 'SEC' })
  assert.deepEqual([ids(left.byLimit), movedOf(left)], [['ENG/9'], ['ENG/3']])
})

test('it hides documents above the guard, counted over all scopes, and removes them once approved', async () => {
  const unlisted = ['A', 'B'].flatMap((scope) => Array.from({ length: 12 }, (_, at) => entry(scope, at)))
  const locations = Object.fromEntries(unlisted.map(({ recordId }) => [recordId, null]))
  const scene = { unlisted, listing: partly('A', 'B'), locations, indexedCount: 50 }
  const held = await planWith({ ...scene, approved: false })
  assert.equal(held.heldBack, 24)
  assert.match(held.warnings[0]?.message ?? '', /24 documents .* hidden until a person agrees/)
  const index = indexOf(unlisted)
  assert.equal(await applyRemoval(held, index, signal), 0)
  assert.deepEqual([index.hidden.length, index.left.size], [24, 24])
  assert.ok([...index.left.values()].every(({ stateHash }) => stateHash === HIDDEN_STATE))

  const approved = await planWith({ ...scene, unlisted: [...index.left.values()], approved: true })
  assert.equal(await applyRemoval(approved, index, signal), 24)
  assert.deepEqual([index.hidden.length, index.left.size], [24, 0])
})

test('it hides documents that a second listing lacks, and removes gone ones', async () => {
  const unlisted = [entry('ENG', 1), entry('ENG', 2)]
  const found = await plan(unlisted, whole('ENG'), { 'ENG/1': null, 'ENG/2': 'ENG' })
  const index = indexOf(unlisted)
  assert.equal(await applyRemoval(hideMoved(found), index, signal), 1)
  assert.deepEqual([index.hidden, [...index.left.keys()]], [['ENG/2'], ['ENG/2']])
})

test('it hides documents instead of removing them if removal is not allowed', async () => {
  const unlisted = [entry('ENG', 1), entry('ENG', 2), entry('ENG', 9)]
  const found = await plan(unlisted, cut, { 'ENG/1': null, 'ENG/2': 'ENG', 'ENG/9': 'ENG' })
  const index = indexOf(unlisted)
  assert.equal(await applyRemoval(hideInsteadOfRemoving(found), index, signal), 0)
  assert.deepEqual(index.hidden, ['ENG/1', 'ENG/2', 'ENG/9'])
})

test('it needs approval only above both 30 % and 20 documents', () => {
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
  }
}

const cut = { closed: new Map([['ENG', position(5)]]), complete: true }

function ids(recordIds: ReadonlySet<string>): string[] {
  return [...recordIds]
}

function movedOf({ moved }: RemovalPlan): string[] {
  return moved.map(({ recordId }) => recordId)
}

function plan(
  unlisted: Entry[],
  listing: ListingResult,
  locations: Record<string, TestLocation>,
): Promise<RemovalPlan> {
  return planWith({ unlisted, listing, locations, indexedCount: 1000, approved: false })
}

test('it removes without locate only from closed scopes of its own site', async () => {
  const source = { site: async () => ({ name: 'ENG' }) } as unknown as Source
  const planning = { source, indexedCount: 100, approved: false, approval: 'a person agrees', signal }
  const cut = { closed: new Map([['A', position(5)]]), complete: false }
  const at = (scope: string, id: string, place: number): Entry => ({
    ...entry(scope, place),
    ...{ recordId: id, position: position(place) },
  })
  const unlisted = [at('A', 'ENG/1', 3), at('A', 'ENG/2', 9), at('B', 'ENG/3', 1), at('A', 'OTHER/1', 3)]
  const left = await planRemoval(pagesOf(unlisted), cut, planning)
  assert.deepEqual(
    [ids(left.gone), ids(left.byLimit), ids(left.toHide), left.foreign],
    [['ENG/1'], ['ENG/2'], ['OTHER/1'], 1],
  )
  const complete = await planRemoval(pagesOf(unlisted), { closed: new Map(), complete: true }, planning)
  assert.deepEqual(ids(complete.gone), ['ENG/1', 'ENG/2', 'ENG/3'])
  const many = Array.from({ length: 50 }, (_, place) => at('A', `ENG/${place}`, place))
  const guarded = await planRemoval(pagesOf(many), whole('A'), { ...planning, indexedCount: 60 })
  assert.equal(guarded.heldBack, 50, 'the guard holds them back')
})

type Scene = {
  unlisted: Entry[]
  listing: ListingResult
  locations: Record<string, TestLocation>
  indexedCount: number
  approved: boolean
}

/** With a source that only locates documents. */
async function planWith({ unlisted, listing, locations, ...guard }: Scene): Promise<RemovalPlan> {
  const located = Object.entries(locations).map(([recordId, place]): [string, DocumentLocation] => {
    if (place === null || place === 'unknown') return [recordId, place]
    const [scope, at] = typeof place === 'string' ? [place, Number(recordId.split('/')[1])] : place
    return [recordId, { scope, position: position(at) }]
  })
  const source = { locate: async () => new Map(located) } as unknown as Source
  return planRemoval(pagesOf(unlisted), listing, { ...guard, source, approval: 'a person agrees', signal })
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
    unlisted: () => pagesOf([...left.values()]),
    onRemoved: async () => {},
    openLedger: async () => ({
      fence: 1,
      find: async (ids: string[]) => new Map([...left].filter(([id]) => ids.includes(id))),
      intend: put,
      settle: async (given: Entry[]) => {
        await put(given)
        return []
      },
      forget: async (recordIds: string[]) => recordIds.forEach((id) => void left.delete(id)),
    }),
  }
}

/** A scope, with an id if the position is not that of the record. */
type TestLocation = null | string | [scope: string, id: number]
