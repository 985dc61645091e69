import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Source, Whereabouts } from '../connectors/connector.ts'
import type { Entry } from '../ledger-entry.ts'
import { leaving, needsApproval } from './removal.ts'

const signal = new AbortController().signal

const whole = (...scopes: string[]) => ({
  closed: new Map(scopes.map((scope) => [scope, null])),
  complete: true,
})

test('what a closed scope did not show leaves where the source says it is gone, and was missed where it is still there', async () => {
  const left = await leaving(
    [entry('ENG', 1), entry('ENG', 2)],
    whole('ENG'),
    asking({ 'ENG/1': null, 'ENG/2': 'ENG' }),
  )
  assert.deepEqual([ids(left.entries), ids(left.missed)], [['ENG/1'], ['ENG/2']])
})

test('a scope that did not reach its end loses nothing', async () => {
  const listing = { closed: new Map([['ENG', null]]), complete: false }
  assert.deepEqual((await leaving([entry('HR', 1)], listing, asking({ 'HR/1': null }))).entries, [])
})

test('a scope that a complete listing no longer has loses what is gone', async () => {
  assert.deepEqual(ids((await leaving([entry('OLD', 1)], whole('ENG'), asking({ 'OLD/1': null }))).entries), [
    'OLD/1',
  ])
})

test('what is not of the source stays, and what the source could not tell about was missed', async () => {
  const strange = await leaving([entry('ENG', 1)], whole('ENG'), asking({}))
  assert.deepEqual([strange.entries, strange.missed], [[], []])
  const unknown = await leaving([entry('ENG', 1)], whole('ENG'), asking({ 'ENG/1': 'unknown' }))
  assert.deepEqual([unknown.entries, ids(unknown.missed)], [[], ['ENG/1']])
})

test('below a limit only what is gone leaves, beyond it everything does', async () => {
  const listing = { closed: new Map([['ENG', position(5)]]), complete: true }
  const unseen = [entry('ENG', 1), entry('ENG', 2), entry('ENG', 9)]
  const left = await leaving(unseen, listing, asking({ 'ENG/1': 'ENG', 'ENG/2': null, 'ENG/9': 'ENG' }))
  assert.deepEqual(ids(left.entries), ['ENG/2', 'ENG/9'])
  assert.equal(left.byLimit, 1)
})

test('a file goes with its page, by the position that both have', async () => {
  const listing = { closed: new Map([['ENG', position(5)]]), complete: true }
  const file = (page: number, id: string) => ({ ...entry('ENG', page), recordId: `ENG/${id}` })
  const unseen = [file(5, 'att555'), file(5, 'att556'), entry('ENG', 9), file(9, 'att999')]
  const places = {
    'ENG/att555': ['ENG', 5],
    'ENG/att556': null,
    'ENG/9': 'ENG',
    'ENG/att999': ['ENG', 9],
  } satisfies Record<string, Place>
  const left = await leaving(unseen, listing, asking(places))
  assert.deepEqual(ids(left.entries), ['ENG/att556', 'ENG/9', 'ENG/att999'])
  assert.equal(left.byLimit, 2)
})

test('a file that went to a page beyond the limit leaves with it, wherever it was before', async () => {
  const listing = { closed: new Map([['ENG', position(5)]]), complete: true }
  const moved = { ...entry('ENG', 3), recordId: 'ENG/att7' }
  const left = await leaving([moved], listing, asking({ 'ENG/att7': ['ENG', 9] }))
  assert.deepEqual([ids(left.entries), left.byLimit], [['ENG/att7'], 1])
})

test('what was skipped is forgotten when it leaves, and is no removal by a limit', async () => {
  const listing = { closed: new Map([['ENG', position(5)]]), complete: true }
  const skipped = { code: 'document_unsupported', message: 'a film', readable: '' }
  const left = await leaving([{ ...entry('ENG', 9), skipped }], listing, asking({ 'ENG/9': 'ENG' }))
  assert.deepEqual([ids(left.entries), left.byLimit], [['ENG/9'], 0])
})

test('what went to another scope leaves beyond its limit, and within it has to be looked for there', async () => {
  const closed = new Map([
    ['ENG', null],
    ['SEC', position(5)],
  ])
  const unseen = [entry('ENG', 3), entry('ENG', 9)]
  const left = await leaving(unseen, { closed, complete: true }, asking({ 'ENG/3': 'SEC', 'ENG/9': 'SEC' }))
  assert.deepEqual([ids(left.entries), ids(left.missed), left.byLimit], [['ENG/9'], ['ENG/3'], 1])
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
    elementIds: [],
    settled: true,
  }
}

function ids(entries: Entry[]): string[] {
  return entries.map(({ recordId }) => recordId)
}

/** A source that is asked about nothing but where documents are. */
function asking(places: Record<string, Place>): { source: Source; signal: AbortSignal } {
  const told = Object.entries(places).map(([recordId, place]): [string, Whereabouts] => {
    if (place === null || place === 'unknown') return [recordId, place]
    const [scope, at] = typeof place === 'string' ? [place, Number(recordId.split('/')[1])] : place
    return [recordId, { scope, position: position(at) }]
  })
  return { source: { whereabouts: async () => new Map(told) } as unknown as Source, signal }
}

/** A scope, with the id there where it is not the record's own. */
type Place = null | string | [scope: string, id: number]
