import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headingLevels } from './heading-levels.ts'

test('headings never skip a level and stay within six', () => {
  const blocks = [
    { type: 'Title', depth: 0 },
    { type: 'NarrativeText', depth: 0 },
    { type: 'Title', depth: 3 },
    { type: 'Title', depth: 1 },
    { type: 'Title', depth: 5 },
    { type: 'Title', depth: 5 },
    { type: 'Title', depth: 5 },
    { type: 'Title', depth: 0 },
  ]
  assert.deepEqual(headingLevels(blocks), [3, undefined, 4, 4, 5, 6, 6, 3])
})
