import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nextStep } from './next-step.ts'
import type { Overview } from './types.ts'

const nothing: Overview = {
  documents: 0,
  elements: 0,
  sources: 0,
  destinations: 0,
  workflows: 0,
  last_runs: [],
  failures_7d: 0,
  failed_jobs_7d: 0,
  permissions_as_of: null,
  hidden_scopes: 0,
  has_sandbox: false,
  by_day: [],
}

describe('the steps to the first run', () => {
  test('starts with the first missing object', () => {
    assert.equal(nextStep(nothing), 'source')
    assert.equal(nextStep({ ...nothing, sources: 1 }), 'destination')
    assert.equal(nextStep({ ...nothing, destinations: 1 }), 'source')
    assert.equal(nextStep({ ...nothing, sources: 2, destinations: 1 }), 'workflow')
    assert.equal(nextStep({ ...nothing, sources: 1, destinations: 1, workflows: 1 }), 'run')
  })
})
