import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isSampleWiki, nextStep } from './next-step.ts'
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
  by_day: [],
}

describe('the way to the first run', () => {
  test('goes on after what exists', () => {
    assert.equal(nextStep(nothing), 'source')
    assert.equal(nextStep({ ...nothing, sources: 1 }), 'destination')
    assert.equal(nextStep({ ...nothing, destinations: 1 }), 'source')
    assert.equal(nextStep({ ...nothing, sources: 2, destinations: 1 }), 'workflow')
    assert.equal(nextStep({ ...nothing, sources: 1, destinations: 1, workflows: 1 }), 'run')
  })

  test('knows the sample wiki by its address', () => {
    assert.equal(isSampleWiki('http://127.0.0.1:40123/wiki'), true)
    assert.equal(isSampleWiki('https://acme.atlassian.net'), false)
    assert.equal(isSampleWiki('https://127.0.0.1'), false)
    assert.equal(isSampleWiki(undefined), false)
  })
})
