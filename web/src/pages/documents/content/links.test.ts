import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isMarked, linksOf, positionAfter } from './links.ts'

const block = (id: string) => ({
  ...{ id, type: 'NarrativeText', text: id, html: null, depth: 0 },
  ...{ page: null, box: null },
})
const element = (id: string, ...blockIds: string[]) => ({
  element_id: id,
  type: 'CompositeElement',
  text: id,
  html: null,
  block_ids: blockIds,
})
const links = linksOf({
  blocks: [block('a'), block('b'), block('a'), block('c')],
  elements: [element('1', 'a', 'b'), element('2', 'b', 'gone'), element('3')],
})

describe('links between blocks and elements', () => {
  test('connect both sides, also blocks with the same id', () => {
    assert.deepEqual(links, { blocks: [[0], [0, 1], [0], []], elements: [[0, 1, 2], [1], []] })
  })

  test('mark the active item and its counterparts alone', () => {
    const marked = (side: 'blocks' | 'elements', count: number) =>
      Array.from({ length: count }, (_, index) =>
        isMarked(links, { side: 'blocks', index: 1 }, { side, index }),
      )
    assert.deepEqual(marked('blocks', 4), [false, true, false, false])
    assert.deepEqual(marked('elements', 3), [true, true, false])
    assert.equal(isMarked(links, undefined, { side: 'blocks', index: 0 }), false)
  })

  test('move by key within a side and to the other one', () => {
    const at = { side: 'elements', index: 1 } as const
    assert.deepEqual(positionAfter(links, at, 'ArrowDown'), { side: 'elements', index: 2 })
    assert.deepEqual(positionAfter(links, { ...at, index: 2 }, 'ArrowDown'), { side: 'elements', index: 2 })
    assert.deepEqual(positionAfter(links, at, 'Home'), { side: 'elements', index: 0 })
    assert.deepEqual(positionAfter(links, at, 'ArrowLeft'), { side: 'blocks', index: 1 })
    assert.equal(positionAfter(links, at, 'ArrowRight'), undefined)
    assert.equal(positionAfter(links, { side: 'blocks', index: 3 }, 'ArrowRight'), undefined)
    assert.equal(positionAfter(links, at, 'Tab'), undefined)
  })
})
