import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommentVersions } from './comment-versions.ts'

test('it returns the comments of a page, whatever their ids look like', () => {
  const comments = new CommentVersions()
  const comment = (id: string, pageId: string, version = '1') => ({ id, pageId, version, resolution: null })
  comments.add([comment('9', '20'), comment('5', '10', '3'), comment('c-7', '20', '2')])
  for (let id = 100; id < 1100; id++) comments.add([comment(String(id), '30')])
  comments.add([comment('8', '10'), comment('4', 'p-1')])
  comments.sort()
  const idsOf = (pageId: string) =>
    comments
      .of(pageId)
      .map(({ id, version }) => `${id}:${version}`)
      .toSorted()
  assert.deepEqual(idsOf('10'), ['5:3', '8:1'])
  assert.deepEqual(idsOf('20'), ['9:1', 'c-7:2'])
  assert.equal(idsOf('30').length, 1000)
  assert.deepEqual(idsOf('p-1'), ['4:1'])
  assert.deepEqual([...idsOf('15'), ...idsOf('31'), ...idsOf('1')], [])
})
