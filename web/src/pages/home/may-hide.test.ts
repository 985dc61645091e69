import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mayHide } from './may-hide.ts'

const workflows = [48, null, 24, 0.5].map((hours) => ({ max_permission_age_hours: hours }))
const overview = { permissions_as_of: '2026-01-01T00:00:00.000Z' }

function limitsAfter(hours: number): (number | null)[] {
  const now = Date.parse(overview.permissions_as_of) + hours * 3_600_000
  return mayHide(workflows, overview, now).map(({ max_permission_age_hours: limit }) => limit)
}

describe('workflows that may hide documents', () => {
  test('it finds those whose maximum age has passed, shortest first', () => {
    assert.deepEqual(limitsAfter(0.4), [])
    assert.deepEqual(limitsAfter(25), [0.5, 24])
    assert.deepEqual(limitsAfter(1000), [0.5, 24, 48])
  })

  test('it finds none before permissions were read', () => {
    assert.deepEqual(mayHide(workflows, { permissions_as_of: null }, Date.now()), [])
  })

  test('it returns at most ten', () => {
    const many = Array.from({ length: 50 }, () => ({ max_permission_age_hours: 1 }))
    assert.equal(mayHide(many, overview, Date.now()).length, 10)
  })
})
