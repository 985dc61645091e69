import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Source } from '../connectors/connector.ts'
import type { Entry } from '../ledger-entry.ts'
import { leaving, needsApproval } from './removal.ts'

const signal = new AbortController().signal

test('a scope that reached its end loses what was not seen', async () => {
  const left = await leaving(
    [entry('ENG', 1)],
    { closed: new Map([['ENG', null]]), complete: false },
    asking([]),
  )
  assert.deepEqual(ids(left.entries), ['ENG/1'])
})

test('a scope that did not reach its end loses nothing', async () => {
  const left = await leaving(
    [entry('HR', 1)],
    { closed: new Map([['ENG', null]]), complete: false },
    asking([]),
  )
  assert.deepEqual(left.entries, [])
})

test('a scope that a complete listing no longer has loses everything', async () => {
  const left = await leaving(
    [entry('OLD', 1)],
    { closed: new Map([['ENG', null]]), complete: true },
    asking([]),
  )
  assert.deepEqual(ids(left.entries), ['OLD/1'])
})

test('below a limit only what the source says is gone leaves, beyond it everything does', async () => {
  const unseen = [entry('ENG', 1), entry('ENG', 2), entry('ENG', 9)]
  const left = await leaving(
    unseen,
    { closed: new Map([['ENG', position(5)]]), complete: true },
    asking(['ENG/2']),
  )
  assert.deepEqual(ids(left.entries).sort(), ['ENG/2', 'ENG/9'])
  assert.equal(left.byLimit, 1)
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

/** A source that is asked about nothing but what is gone. */
function asking(gone: string[]): { source: Source; signal: AbortSignal } {
  const confirmGone: Source['confirmGone'] = async (documents) =>
    new Set(documents.map(({ recordId }) => recordId).filter((id) => gone.includes(id)))
  return { source: { confirmGone } as Source, signal }
}
