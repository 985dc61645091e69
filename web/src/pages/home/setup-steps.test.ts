import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setupStepsOf } from './setup-steps.ts'

const overview = {
  setup: {
    has_sample_run: true,
    sample_reason: null,
    systems: { sources: [], destinations: [] },
    has_source: false,
    has_destination: false,
    has_run: false,
    has_schedule: false,
    has_colleague: false,
    has_token: true,
  },
}
const named = (...person: [Parameters<typeof setupStepsOf>[1]['role'], boolean]) =>
  setupStepsOf(overview, { role: person[0], isBusiness: person[1] }).map(({ step, isDone }) =>
    isDone ? `${step}, done` : step,
  )

describe('the steps to set up a workspace', () => {
  test('they are those that the role may take', () => {
    const run = ['run', 'schedule']
    assert.deepEqual(named('viewer', true), ['assistant, done'])
    assert.deepEqual(named('operator', true), [...run, 'assistant, done'])
    const all = ['sample, done', 'source', 'destination', ...run]
    assert.deepEqual(named('administrator', true), [...all, 'invite', 'assistant, done'])
    assert.deepEqual(named('administrator', false), [...all, 'assistant, done'])
  })
})
