import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { recordIdsIn } from './record-address.ts'

describe('the record ids of a text', () => {
  test('are the text itself, if it is not an address', () => {
    assert.deepEqual(recordIdsIn('  acme.atlassian.net/98777 '), ['acme.atlassian.net/98777'])
    assert.deepEqual(recordIdsIn('  '), [])
  })

  test('come from a document’s address, with and without the last part of the site’s path', () => {
    assert.deepEqual(recordIdsIn('https://Acme.atlassian.net/wiki/spaces/ENG/pages/98777/On+call?focus=1'), [
      'acme.atlassian.net/98777',
      'acme.atlassian.net/wiki/98777',
    ])
    assert.deepEqual(recordIdsIn('http://127.0.0.1:8090/pages/viewpage.action?pageId=12'), [
      '127.0.0.1:8090/12',
    ])
    assert.deepEqual(recordIdsIn('https://wiki.acme.test/confluence/spaces/ENG/pages/12'), [
      'wiki.acme.test/12',
      'wiki.acme.test/confluence/12',
    ])
    assert.deepEqual(recordIdsIn('https://wiki.acme.test/wiki/spaces/ENG/blog/2026/01/31/77/News'), [
      'wiki.acme.test/77',
      'wiki.acme.test/wiki/77',
    ])
  })

  test('are empty if an address contains no id', () => {
    assert.deepEqual(recordIdsIn('https://acme.atlassian.net/wiki/home'), [])
    assert.deepEqual(recordIdsIn('https://wiki.acme.test/display/ENG/On+call'), [])
  })
})
