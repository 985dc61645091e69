import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CurrentPermission } from '../store/ledger/current-permissions.ts'
import { checkHit, type Verdict } from './hit-check.ts'

const now = new Date('2026-05-04T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
const maxAgeHours = new Map([
  ['day', 24],
  ['half', 0.5],
  ['none', null],
])
const tokens = new Set(['user:ann', 'group:millers'])

function ledger(workflowId: string, more: Partial<CurrentPermission> = {}): CurrentPermission {
  return {
    workflowId,
    recordId: 'wiki.test/1',
    scope: 'MILL',
    clauses: { c0: ['group:millers'] },
    hidden: null,
    provedAt: hoursAgo(1),
    ...more,
  }
}
const refusing = { clauses: { c0: ['group:millers'], c1: ['user:bob'] } }

const cases: [name: string, entries: CurrentPermission[], verdict: Verdict][] = [
  ['no ledger knows it', [], 'unknown'],
  ['its clauses admit the reader', [ledger('day')], 'shown'],
  ['a later clause refuses the reader', [ledger('day', refusing)], 'excluded'],
  ['it has no clauses', [ledger('day', { clauses: {} })], 'excluded'],
  ['only a later clause matches', [ledger('day', { clauses: { c1: ['user:ann'] } })], 'excluded'],
  ['the ledger hides it', [ledger('day', { hidden: 'unlisted' })], 'excluded'],
  ['its scope is as old as the maximum age', [ledger('day', { provedAt: hoursAgo(24) })], 'shown'],
  ['its scope is older than the maximum age', [ledger('day', { provedAt: hoursAgo(24.1) })], 'excluded'],
  ['its scope is older than half an hour', [ledger('half')], 'excluded'],
  ['its scope was never proved', [ledger('day', { provedAt: null })], 'excluded'],
  ['there is no maximum age', [ledger('none', { provedAt: null })], 'shown'],
  ['its workflow is not known', [ledger('other')], 'excluded'],
  ['one fresh ledger of two refuses', [ledger('day'), ledger('none', refusing)], 'excluded'],
  ['one fresh ledger of two hides it', [ledger('day'), ledger('none', { hidden: 'unreadable' })], 'excluded'],
  ['a stale ledger refuses and a fresh one admits', [ledger('half', refusing), ledger('day')], 'shown'],
  ['all ledgers are stale', [ledger('half'), ledger('day', { provedAt: hoursAgo(30) })], 'excluded'],
]
for (const [name, entries, verdict] of cases)
  test(`it is ${verdict} if ${name}`, () => {
    assert.equal(checkHit(entries, { tokensOf: () => tokens, maxAgeHours, now }), verdict)
  })
