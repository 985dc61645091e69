import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentLevels } from '../../store/ledger/document-levels.ts'
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
    set: 'w/7/2/3;update=3',
    ref: {
      title: 'Salary bands',
      space: { key: 'MILL', name: 'The mill' },
      ancestors: [
        { id: '1', title: 'Home' },
        { id: '2', title: 'People team home' },
      ],
      position: '3',
    },
    clauses: {
      c0: ['class:wiki.test/all-licensed-users'],
      c1: ['group:wiki.test/people%2Fteam', 'user:cat'],
      c2: ['user:ann'],
    },
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
  const unnamed = ledger({ set: '0f3a', clauses: { c0: ['user:ann'], c1: ['user:ben'] } })
  assert.deepEqual(levelOf([unnamed], 'user:ann'), ['stopped', null])
  assert.deepEqual(levelOf([unnamed], 'user:cat'), ['stopped', ['space', 'MILL', 'The mill']])
  assert.deepEqual(levelOf([], 'user:ann'), ['stopped', null])
})

test('it names the folder on which the checks of the wiki decide', () => {
  const below = ledger({ set: 'w/7;below=2', clauses: { c0: ['user:ann'], c1: ['user:ben'] } })
  assert.deepEqual(levelOf([below], 'user:ann'), ['stopped', ['ancestor', '2', 'People team home']])
})

test('it names no level where one clause holds several', () => {
  const ids = ['1', '2', '4', '5', '6', '7', '8', '3']
  const clauses = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [`c${at}`, [at < 6 ? 'user:ann' : `user:only-${at}`]]),
  )
  const deep = ledger({ set: `w/7/${ids.join('/')}`, clauses })
  assert.deepEqual(levelOf([deep], 'user:ann'), ['stopped', ['ancestor', '7', null]])
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
