import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { NodeType } from '../types.ts'
import { insertableTypes, isInOrder, moved, nodeTypes, reasonNotRemovable } from './order.ts'

const steps = (...types: NodeType[]) => types.map((type) => ({ type }))

describe('the order of nodes', () => {
  test('offers only node types that fit between two nodes', () => {
    const nodes = steps('partition', 'chunk', 'embed')
    assert.deepEqual(insertableTypes(nodes, 0), [])
    assert.deepEqual(insertableTypes(nodes, 1), ['prompter'])
    assert.deepEqual(insertableTypes(nodes, 2), [])
    assert.deepEqual(insertableTypes(steps('partition'), 1), ['prompter', 'chunk'])
    assert.deepEqual(insertableTypes(steps('partition', 'chunk'), 2), ['embed'])
  })

  test('keeps the partitioner, and the chunker while there is an embedder', () => {
    const nodes = steps('partition', 'prompter', 'chunk', 'embed')
    assert.deepEqual(
      nodes.map((_, index) => reasonNotRemovable(nodes, index)),
      ['partitionerNeeded', null, 'chunkerNeeded', null],
    )
    assert.equal(reasonNotRemovable(steps('partition'), 0), 'partitionerNeeded')
  })

  test('moves only enrichments, among each other', () => {
    const nodes = [
      { type: 'partition' as const, name: 'p' },
      { type: 'prompter' as const, name: 'a' },
      { type: 'prompter' as const, name: 'b' },
      { type: 'chunk' as const, name: 'c' },
    ]
    assert.deepEqual(
      moved(nodes, 2, -1)?.map(({ name }) => name),
      ['p', 'b', 'a', 'c'],
    )
    assert.equal(moved(nodes, 1, -1), null)
    assert.equal(moved(nodes, 2, 1), null)
    assert.equal(moved(nodes, 0, 1), null)
  })

  test('knows a wrong order', () => {
    for (const wrong of [
      [],
      ['chunk'],
      ['partition', 'embed'],
      ['partition', 'chunk', 'chunk'],
    ] as NodeType[][])
      assert.equal(isInOrder(steps(...wrong)), false)
  })

  test('stays valid after any offered edit', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(6), fc.nat(3))), (edits) => {
        let nodes = steps('partition', 'chunk', 'embed')
        for (const [what, position, which] of edits) {
          const index = position % (nodes.length + 1)
          const offers = insertableTypes(nodes, index)
          const type = nodeTypes[which]!
          if (what === 0 && offers.includes(type) && nodes.length < 9)
            nodes = nodes.toSpliced(index, 0, { type })
          if (what === 1 && index < nodes.length && !reasonNotRemovable(nodes, index))
            nodes = nodes.toSpliced(index, 1)
          if (what === 2) nodes = moved(nodes, index, which % 2 ? 1 : -1) ?? nodes
          assert.ok(isInOrder(nodes), JSON.stringify(nodes))
        }
      }),
    )
  })
})
