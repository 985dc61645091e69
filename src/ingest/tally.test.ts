import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tally } from './tally.ts'

test('it counts dropped macros by name over the documents of a run', () => {
  const tally = new Tally()
  const of = (recordId: string, names: string[]) =>
    tally.count({
      recordId,
      state: 'new',
      elements: 1,
      warnings: [{ code: 'macros_dropped', count: names.length, message: names.join(), names }],
    })
  of('w/1', ['children', 'jira'])
  of('w/2', ['jira'])
  assert.deepEqual(tally.missingWarnings(), [
    {
      code: 'macros_dropped',
      message: 'Content of other pages or systems is left out: jira (2 documents), children (1)',
      documents: 2,
    },
  ])
})
