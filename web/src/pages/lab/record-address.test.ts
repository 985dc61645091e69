import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { recordIdsIn } from './record-address.ts'

const addresses = [
  { pattern: '^([^/?]+)(/docs)?/notes/(\\d+)', record_ids: ['$1/$3', '$1$2/$3'] },
  { pattern: '^([^/?]+)/open\\?(?:.*&)?note=(\\d+)', record_ids: ['$1/$2'] },
]

describe('the record ids of a text', () => {
  test('are the text itself, if it is not an address', () => {
    assert.deepEqual(recordIdsIn('  notes.example/98777 ', addresses), ['notes.example/98777'])
    assert.deepEqual(recordIdsIn('  ', addresses), [])
  })

  test('come from the first pattern that matches an address, each once', () => {
    assert.deepEqual(recordIdsIn('https://Notes.example/docs/notes/12/On+call?focus=1', addresses), [
      'notes.example/12',
      'notes.example/docs/12',
    ])
    assert.deepEqual(recordIdsIn('https://notes.example/notes/12', addresses), ['notes.example/12'])
    assert.deepEqual(recordIdsIn('http://127.0.0.1:8090/open?a=b&note=7', addresses), ['127.0.0.1:8090/7'])
  })

  test('are empty if no pattern matches an address', () => {
    assert.deepEqual(recordIdsIn('https://notes.example/home', addresses), [])
    assert.deepEqual(recordIdsIn('https://notes.example/notes/12', []), [])
  })
})
