import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { GUIDE, guideWithCode } from './contract/guide.ts'

test('it shows the current code of the toys in the guide', () => {
  const guide = readFileSync(GUIDE, 'utf8')
  assert.match(guide, /export const notes: SourceType/)
  assert.match(guide, /export const shelf: DestinationType/)
  // To update it, write the result of guideWithCode into the file.
  assert.equal(guide, guideWithCode(guide))
})
