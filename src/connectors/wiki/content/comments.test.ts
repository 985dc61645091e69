import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Comment } from '../client.ts'
import { isShown, toComment, toCommentInfo, withComments } from './comments.ts'
import { htmlOf } from './storage/rendition.ts'

const comment = (id: string, more: Partial<Comment> = {}): Comment => ({
  id,
  pageId: '1',
  version: '1',
  resolution: null,
  parentId: null,
  author: null,
  createdAt: null,
  selection: null,
  storage: `<p>${id}</p>`,
  ...more,
})
/** Bodies stay as they are, each with one dropped macro. */
const render = (storage: string) => ({ parts: [storage], dropped: new Set([storage]) })
const page = (body: string, comments: Comment[]) =>
  htmlOf(withComments({ parts: [body], dropped: new Set() }, comments, render).parts)
const order = (html: string) => [...html.matchAll(/<p>(\d+)<\/p>/g)].map(([, id]) => id)

describe('a page with comments', () => {
  test('is unchanged if there are none to show', () => {
    assert.equal(page('<p>x</p>', []), '<p>x</p>')
    assert.equal(page('<p>x</p>', [comment('9', { resolution: 'resolved' })]), '<p>x</p>')
  })

  test('shows them by numeric id, replies after their parents, in any order of arrival', () => {
    const comments = [
      comment('100'),
      comment('9'),
      comment('20', { parentId: '9' }),
      comment('11', { parentId: '100' }),
      comment('10', { parentId: '9' }),
      comment('30', { parentId: '10' }),
    ]
    const expected = ['9', '10', '30', '20', '100', '11']
    assert.deepEqual(order(page('', comments)), expected)
    assert.deepEqual(order(page('', comments.toReversed())), expected)
  })

  test('hides replies to hidden comments, and shows a reply whose parent is missing', () => {
    const comments = [
      comment('1', { resolution: 'resolved' }),
      comment('2', { parentId: '1' }),
      comment('3', { parentId: '2' }),
      comment('4', { resolution: 'dangling' }),
      comment('5', { parentId: '77' }),
      comment('6', { resolution: 'reopened' }),
      comment('7', { resolution: 'open' }),
    ]
    assert.deepEqual(order(page('', comments)), ['5', '6', '7'])
  })

  test('names author and selected text, both escaped', () => {
    const html = page('', [comment('1', { author: 'Ann & <b>Bob</b>', selection: '<i>x</i>' })])
    assert.ok(
      html.includes('<p>Ann &amp; &lt;b&gt;Bob&lt;/b&gt; on “&lt;i&gt;x&lt;/i&gt;”:</p><p>1</p>'),
      html,
    )
    assert.ok(page('', [comment('1')]).includes('<div><p>1</p></div>'))
  })

  test('reports macros dropped from shown comments', () => {
    const comments = [comment('1'), comment('2', { resolution: 'resolved' })]
    const { dropped } = withComments({ parts: [''], dropped: new Set(['jira']) }, comments, render)
    assert.deepEqual([...dropped], ['jira', '<p>1</p>'])
  })

  test('renders a thread of 20,000 replies', () => {
    const thread = Array.from({ length: 20_000 }, (_, at) =>
      comment(`${at + 1}`, { parentId: at === 0 ? null : `${at}` }),
    )
    assert.equal(order(page('', thread)).length, 20_000)
  })
})

describe('a comment', () => {
  const answer = {
    id: '5',
    status: 'current',
    container: { id: '1' },
    ancestors: [{ id: '3' }, { id: '4' }],
    version: { number: 2 },
    history: { createdBy: { displayName: 'Ann' }, createdDate: '2026-01-02T03:04:05.000+02:00' },
    extensions: { resolution: { status: 'open' }, inlineProperties: { originalSelection: 'wide' } },
    body: { storage: { value: '<p>Hm.</p>' } },
  }

  test('is parsed from the answer', () => {
    assert.deepEqual(toComment(answer), [
      {
        id: '5',
        pageId: '1',
        version: '2',
        resolution: 'open',
        parentId: '4',
        author: 'Ann',
        createdAt: '2026-01-02T01:04:05.000Z',
        selection: 'wide',
        storage: '<p>Hm.</p>',
      },
    ])
  })

  test('is ignored if it is not current or has no page', () => {
    assert.deepEqual(toCommentInfo({ ...answer, status: 'trashed' }), [])
    assert.deepEqual(toCommentInfo({ ...answer, container: null }), [])
    assert.equal(toCommentInfo({ id: '5', container: { id: '1' } })[0]?.resolution, null)
  })

  test('is shown unless it is resolved or its text is gone', () => {
    const shown = [null, 'open', 'reopened', 'resolved', 'dangling'].filter((resolution) =>
      isShown({ id: '1', pageId: '1', version: '1', resolution }),
    )
    assert.deepEqual(shown, [null, 'open', 'reopened'])
  })
})
