import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tally } from './tally.ts'

test('dropped macros are counted by name over the documents of a run', () => {
  const tally = new Tally()
  const of = (recordId: string, names: string[]) =>
    tally.take({
      recordId,
      state: 'new',
      elements: 1,
      warnings: [{ code: 'macros_dropped', count: names.length, message: names.join(), names }],
    })
  of('w/1', ['children', 'jira'])
  of('w/2', ['jira'])
  assert.deepEqual(tally.missing(), [
    {
      code: 'macros_dropped',
      message: 'Content of other pages or systems is left out: jira (2 documents), children (1)',
      documents: 2,
    },
  ])
})
