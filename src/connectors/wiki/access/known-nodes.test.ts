import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyOf } from '../../../permissions/principals.ts'
import { KnownNodes, type ReadRule, unreadReason } from './known-nodes.ts'
import type { TreeNode } from './tree.ts'

const page = (id: string, parent: TreeNode['parent'] = null, title = `Page ${id}`): TreeNode => ({
  id,
  title,
  parent,
})
const open = (): ReadRule => ({ read: null })

describe('known nodes', () => {
  test('are returned as they were added', () => {
    const known = new KnownNodes()
    const huge = '18446744073709551615'
    const pages = [
      page('12'),
      page('13', { id: '12', type: 'page' }, ''),
      page('450', { id: '99', type: 'folder' }, 'Größe 漢字 🙂'),
      page('999999999999999', { id: '450', type: 'page' }),
      page(huge, { id: '13', type: 'whiteboard' }),
    ]
    known.addPages(pages.slice(0, 2), open)
    known.addPages(pages.slice(2), open)
    const folder = page('99', { id: 'x1', type: 'page' })
    known.addAncestor(folder, undefined)
    for (const node of [...pages, folder]) assert.deepEqual(known.get(node.id), node)
    for (const id of ['1', '14', '500', '1000000000000000', '012']) assert.equal(known.get(id), undefined)
  })

  test('keep restrictions, and why they could not be read', () => {
    const known = new KnownNodes()
    const rules = new Map<string, ReadRule | undefined>([
      ['1', { read: anyOf(['ann'], ['g1'], ['c']) }],
      ['2', { read: anyOf() }],
      ['3', { read: null }],
      ['4', { unread: unreadReason('4') }],
      ['5', undefined],
      ['6', { read: anyOf(['ann'], ['g1'], ['c']) }],
    ])
    known.addPages(
      [...rules.keys()].map((id) => page(id)),
      (id) => rules.get(id),
    )
    for (const [id, rule] of rules) assert.deepEqual(known.ruleOf(id), rule)
    known.setRule('5', { read: anyOf(['ben']) })
    assert.deepEqual(known.ruleOf('5'), { read: anyOf(['ben']) })
  })

  test('are replaced by their newer listing', () => {
    const known = new KnownNodes()
    known.addAncestor(page('7', null, 'Old'), { read: anyOf(['ann']) })
    assert.deepEqual(known.ruleOf('7'), { read: anyOf(['ann']) })
    known.addPages([page('7', { id: '3', type: 'page' }, 'New')], () => ({ read: anyOf(['ben']) }))
    assert.deepEqual(known.get('7'), page('7', { id: '3', type: 'page' }, 'New'))
    assert.deepEqual(known.ruleOf('7'), { read: anyOf(['ben']) })
  })

  test('keep why their ancestors are unknown', () => {
    const known = new KnownNodes()
    const unreadable = { ...page('8'), unreadable: 'not returned' }
    known.addPages([unreadable], open)
    assert.deepEqual(known.get('8'), unreadable)
  })
})
