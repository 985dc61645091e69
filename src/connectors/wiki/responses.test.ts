import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listOf, pageResponse, spaceResponse } from './responses.ts'

test('it reads an empty optional id as none, and refuses an empty id', () => {
  const { results } = listOf(pageResponse).parse({
    results: [
      { id: '1', parentId: '', spaceId: '' },
      { id: 2, parentId: 1 },
    ],
  })
  assert.deepEqual(
    results.map(({ id, parentId }) => [id, parentId]),
    [
      ['1', null],
      ['2', '1'],
    ],
  )
  assert.equal(spaceResponse.parse({ id: '1', key: 'A', homepageId: '' }).homepageId, null)
  assert.equal(pageResponse.safeParse({ id: '' }).success, false)
})
