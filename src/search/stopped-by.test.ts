import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentLevels } from '../store/ledger/document-levels.ts'
import { stoppedStatus } from './stopped-by.ts'

const now = new Date('2026-05-04T12:00:00Z')
const check = (...tokens: string[]) => ({
  tokensOf: () => new Set(tokens),
  maxAgeHours: new Map([['flow', 24]]),
  now,
})

function ledger(more: Partial<DocumentLevels> = {}): DocumentLevels {
  return {
    workflowId: 'flow',
    recordId: 'wiki.test/3',
    ref: {
      recordId: 'wiki.test/3',
      title: 'Salary bands',
      scope: 'MILL',
      scopeName: 'The mill',
      ancestors: [
        { id: '1', title: 'Home' },
        { id: '2', title: 'People team home' },
      ],
    },
    levels: [
      { kind: 'space', id: '7', title: 'The mill', who: ['class:wiki.test/all-licensed-users'] },
      { kind: 'page', id: '2', title: 'Old title', who: ['group:wiki.test/people%2Fteam', 'user:cat'] },
      { kind: 'page', id: '3', title: 'Salary bands', who: ['user:ann'] },
    ],
    hidden: null,
    provedAt: now,
    asOf: now,
    ...more,
  }
}

const levelOf = (ledgers: DocumentLevels[], ...tokens: string[]) => {
  const { status, stopped_by: by } = stoppedStatus(ledgers, check(...tokens))
  return [status, by && [by.level, by.id, by.title]]
}

test('it names the first level from the top that does not admit the reader', () => {
  const licensed = 'class:wiki.test/all-licensed-users'
  assert.deepEqual(levelOf([ledger()], 'user:ann'), ['stopped', ['space', 'MILL', 'The mill']])
  assert.deepEqual(levelOf([ledger()], licensed, 'user:ann'), [
    'stopped',
    ['ancestor', '2', 'People team home'],
  ])
  assert.deepEqual(levelOf([ledger()], licensed, 'user:cat'), ['stopped', ['page', '3', 'Salary bands']])
})

test('it shows the principals of the level without their site', () => {
  const { stopped_by: by } = stoppedStatus([ledger()], check('class:wiki.test/all-licensed-users'))
  assert.deepEqual(by?.principals, {
    users: [{ id: 'cat', name: null }],
    groups: [{ id: 'people/team', name: null }],
    classes: [],
    more: 0,
  })
  assert.equal(by?.as_of, now.toISOString())
})

test('it names no level where the ledger does not name it', () => {
  const nameless = { kind: null, id: null, title: null }
  const unnamed = ledger({
    levels: [
      { ...nameless, who: ['user:ann'] },
      { ...nameless, who: ['user:ben'] },
    ],
  })
  assert.deepEqual(levelOf([unnamed], 'user:ann'), ['stopped', null])
  assert.deepEqual(levelOf([unnamed], 'user:cat'), ['stopped', ['space', 'MILL', 'The mill']])
  assert.deepEqual(levelOf([], 'user:ann'), ['stopped', null])
})

test('it names no level where one clause holds several', () => {
  const ids = ['0', '1', '2', '4', '5', '6', '7', '8', '3']
  const levels = ids.map((id, at) => ({
    ...{ kind: 'page', id, title: `Page ${id}` },
    who: at < 6 ? ['user:ann'] : at < 8 ? [`user:only-${at}`] : null,
  }))
  const deep = ledger({ levels })
  assert.deepEqual(levelOf([deep], 'user:ann'), ['stopped', ['ancestor', '7', 'Page 7']])
  assert.deepEqual(levelOf([deep], 'user:ann', 'user:only-6'), ['stopped', null])
})

test('it is hidden while its permissions are too old, unproved or of a deleted workflow', () => {
  for (const more of [
    { provedAt: null },
    { provedAt: new Date(now.getTime() - 25 * 3_600_000) },
    { hidden: 'unproved' as const },
    { workflowId: 'deleted' },
  ])
    assert.deepEqual(levelOf([ledger(more)], 'user:cat'), ['hidden', null])
})
