import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ageOf, type Freshness, hiddenScopes, readBy } from './freshness.ts'

const freshness: Freshness = {
  scopes: [
    {
      scope: 'NEW',
      name: '',
      proved_at: '2026-01-02T10:00:00.000Z',
      age_seconds: 60,
      status: 'fresh',
      decisions: null,
    },
    {
      scope: 'OLD',
      name: '',
      proved_at: '2026-01-01T09:00:00.000Z',
      age_seconds: 90_060,
      status: 'hidden',
      decisions: null,
    },
    { scope: 'NONE', name: '', proved_at: null, age_seconds: null, status: 'never', decisions: null },
    {
      scope: 'LATE',
      name: '',
      proved_at: '2026-01-02T09:00:00.000Z',
      age_seconds: 3660,
      status: 'stale',
      decisions: null,
    },
  ],
  job_id: null,
  oldest: '2026-01-01T09:00:00.000Z',
}

const names = (scopes: Freshness['scopes']) => scopes.map(({ scope }) => scope)

describe('the freshness of permissions', () => {
  test('it sorts scopes that were never read as the oldest', () => {
    const oldestFirst = freshness.scopes.toSorted((one, other) => ageOf(other) - ageOf(one))
    assert.deepEqual(names(oldestFirst), ['NONE', 'OLD', 'LATE', 'NEW'])
  })

  test('it counts scopes that were never read as hidden if there is a maximum age', () => {
    assert.deepEqual(names(hiddenScopes(freshness, { max_permission_age_hours: 24 })), ['OLD', 'NONE'])
    const unlimited = { ...freshness, scopes: freshness.scopes.filter(({ scope }) => scope !== 'OLD') }
    assert.deepEqual(hiddenScopes(unlimited, { max_permission_age_hours: null }), [])
  })

  test('it counts scopes that a job has read', () => {
    assert.equal(readBy(freshness, { created_at: '2026-01-02T09:30:00Z' }), 1)
    assert.equal(readBy(freshness, { created_at: '2026-01-02T10:30:00Z' }), 0)
  })
})
