import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyOf } from '../../../permissions/principals.ts'
import { ancestorNodes, decidingIds, lineages, type TreeNode } from './tree.ts'

function treeOf(parents: Record<string, string | null>): Map<string, TreeNode> {
  return new Map(
    Object.entries(parents).map(([id, parent]) => [
      id,
      { id, title: id, parent: parent === null ? null : { id: parent, type: 'page' } },
    ]),
  )
}
const only = anyOf(['u1'])
const open = { read: () => null, unread: () => null }

describe('lineages', () => {
  test('includes every restricted level from the top, and shares the lineage of open pages', () => {
    const lineageOf = lineages(treeOf({ a: null, b: 'a', c: 'b', d: 'b' }), {
      read: (id) => (id === 'a' || id === 'b' ? only : null),
      unread: () => null,
    })
    assert.equal(lineageOf('c').restrictions.length, 2)
    assert.equal(lineageOf('c'), lineageOf('d'))
    assert.equal(lineageOf('a').restrictions.length, 1)
  })
  test('has the lowest undecided node in its place among the restricted ones', () => {
    const lineageOf = lineages(treeOf({ a: null, b: 'a', c: 'b', d: 'c', e: 'd' }), {
      read: (id) => (id === 'b' || id === 'd' ? only : null),
      unread: () => null,
      undecided: (id) => id === 'a' || id === 'c',
    })
    assert.deepEqual(decidingIds(lineageOf('b')), ['a', 'b'])
    assert.deepEqual(decidingIds(lineageOf('c')), ['b', 'c'])
    assert.deepEqual(decidingIds(lineageOf('e')), ['b', 'c', 'd'])
  })
  test('proves nothing for pages in a cycle, whichever is asked first', () => {
    const tree = treeOf({ a: 'c', b: 'a', c: 'b', d: 'c' })
    for (const order of [
      ['d', 'a', 'b', 'c'],
      ['a', 'b', 'c', 'd'],
    ]) {
      const lineageOf = lineages(tree, open)
      for (const id of order) assert.ok(lineageOf(id).unproved, id)
    }
    assert.ok(ancestorNodes(tree, 'd').length <= 3)
  })
  test('proves nothing below a node that is missing or unreadable', () => {
    assert.ok(lineages(treeOf({ a: 'gone' }), open)('a').unproved)
    const unreadable = treeOf({ a: 'top', b: 'a' }).set('top', {
      id: 'top',
      title: '',
      parent: null,
      unreadable: 'why',
    })
    assert.equal(lineages(unreadable, open)('b').unproved, 'why')
    const unread = { read: () => null, unread: (id: string) => (id === 'a' ? 'not read' : null) }
    assert.equal(lineages(treeOf({ a: null, b: 'a' }), unread)('b').unproved, 'not read')
  })
})
