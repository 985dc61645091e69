import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type EstimateFrom, estimateRun, limitsOf } from './estimate.ts'

const from: EstimateFrom = {
  scopes: [
    { key: 'ENG', name: 'Engineering', documents: 231 },
    { key: 'HR', name: 'People', documents: 12 },
    { key: 'OLD', name: 'Old', documents: null },
  ],
  limits: { chosen: [], scopes: null, documents: null },
  experience: { documents: 0, elements: 0, runs: 0, medianSeconds: null },
  known: new Map(),
}
const at = new Date('2026-11-16T06:30:00Z')

describe('the estimate of a run', () => {
  test('it is unknown if one scope is', () => {
    const estimate = estimateRun(from, at)
    assert.deepEqual([estimate.documents, estimate.elements, estimate.seconds], [null, null, null])
    assert.equal(estimateRun({ ...from, known: new Map([['OLD', 7]]) }, at).documents, 250)
  })

  test('it counts chosen scopes, up to the limits', () => {
    const estimate = estimateRun(
      { ...from, limits: { chosen: ['ENG', 'HR'], scopes: 500, documents: 150 } },
      at,
    )
    assert.deepEqual(
      estimate.by_scope.map(({ scope, documents }) => [scope, documents]),
      [
        ['ENG', 150],
        ['HR', 12],
      ],
    )
    assert.deepEqual([estimate.documents, estimate.limited], [162, true])
    const one = estimateRun({ ...from, limits: { chosen: ['ENG', 'HR'], scopes: 1, documents: null } }, at)
    assert.deepEqual([one.documents, one.limited], [231, true])
  })

  test('it takes elements and time from earlier runs', () => {
    const experience = { documents: 100, elements: 450, runs: 3, medianSeconds: 40 }
    const limits = { chosen: ['HR'], scopes: null, documents: null }
    const estimate = estimateRun({ ...from, limits, experience }, at)
    assert.deepEqual([estimate.documents, estimate.elements, estimate.seconds], [12, 54, 40])
    assert.deepEqual(estimate.basis, { runs: 3, documents: 100 })
  })

  test('it reads the limits that a connector type declares', () => {
    const properties = {
      parts: { widget: 'scopes' },
      most: { limits: 'documents', default: 150 },
      url: {},
    }
    assert.deepEqual(limitsOf({ properties }, { parts: ['A'], url: 'x' }), {
      chosen: ['A'],
      scopes: null,
      documents: 150,
    })
    assert.deepEqual(limitsOf({}, {}), { chosen: [], scopes: null, documents: null })
  })
})
