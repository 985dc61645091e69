import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { headingAgreement } from './headings.ts'
import { tablesAgreement, teds } from './tables.ts'
import { type Tree, treeDistance } from './tree-distance.ts'
import { typeAgreement } from './types.ts'
import { overlap, readingOrder, wordsOf } from './words.ts'

describe('measures of words', () => {
  test('it counts every occurrence of a word and ignores optional ones', () => {
    const [truth, may] = [wordsOf('the weir and the pond'), wordsOf('Page 1')]
    const { recall, precision } = overlap(wordsOf('the weir • Page 1\u00ad and the the'), truth, may)
    assert.deepEqual([recall, precision], [4 / 5, 4 / 5])
  })

  test('it detects words in another order', () => {
    const truth = wordsOf('one two three four')
    assert.equal(readingOrder(truth, truth), 1)
    assert.equal(readingOrder(wordsOf('three four one two'), truth), 1 / 2)
    assert.equal(readingOrder(wordsOf('four three two one'), truth), 1 / 4)
    assert.equal(readingOrder(wordsOf('three one Page 3 two three four'), truth), 1)
    assert.equal(readingOrder([], truth), 1)
  })
})

describe('measures of trees', () => {
  const tree = (value: string, ...children: Tree<string>[]): Tree<string> => ({ value, children })
  const distance = (one: Tree<string>, other: Tree<string>) =>
    treeDistance(one, other, (from, to) => (from === to ? 0 : 1))

  test('it computes the edit distance of two trees', () => {
    // The example of Zhang and Shasha's paper: c moves from above d to above its two children.
    const one = tree('f', tree('d', tree('a'), tree('c', tree('b'))), tree('e'))
    const other = tree('f', tree('c', tree('d', tree('a'), tree('b'))), tree('e'))
    assert.equal(distance(one, other), 2)
    assert.equal(distance(one, one), 0)
    assert.equal(distance(tree('a'), tree('b', tree('a'))), 1)
    assert.equal(distance(tree('a', tree('b'), tree('c')), tree('a', tree('c'), tree('b'))), 2)
  })

  test('it compares heading trees, starting at any level', () => {
    const truth: [number, string][] = [
      [1, 'Weir'],
      [2, 'Gates'],
      [1, 'Flood'],
    ]
    const shifted = truth.map(([level, text]): [number, string] => [level - 1, text])
    assert.equal(headingAgreement(shifted, truth), 1)
    assert.equal(headingAgreement(truth.slice(1), truth), 1 - 1 / 3)
    assert.ok(headingAgreement([...truth.slice(0, 2), [3, 'Flood']], truth) < 1)
    assert.equal(headingAgreement([], truth), 0)
    assert.equal(headingAgreement(truth, []), 0)
    assert.equal(headingAgreement([], []), 1)
  })
})

describe('measures of tables', () => {
  const table = (...rows: string[][]) =>
    `<table>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`
  const truth = table(['Gate', 'Height'], ['North', '40 cm'])

  test('it compares rows, cells, spans and words, and not how headers are marked', () => {
    const marked =
      '<table><thead><tr><th>Gate</th><th>Height</th></tr></thead><tbody><tr><td><p>North</p></td><td>40<br/>cm</td></tr></tbody></table>'
    assert.equal(teds(marked, truth), 1)
    // Seven nodes: the table, two rows, four cells.
    assert.equal(teds(table(['Gate', 'Height'], ['North']), truth), 1 - 1 / 7)
    assert.equal(teds(truth.replace('<td>North', '<td colspan="2">North'), truth), 1 - 1 / 7)
    assert.equal(teds(truth.replace('40 cm', '45 cm'), truth), 1 - 1 / 5 / 7)
  })

  test('it treats a nested table as text of its cell', () => {
    const nested = truth.replace('40 cm', '<table><tr><td>40</td><td>cm</td></tr></table>')
    assert.equal(teds(nested, truth), 1)
  })

  test('it counts missing and extra tables', () => {
    const second = table(['Stone', 'Price'], ['Basalt', '900'])
    assert.equal(tablesAgreement([truth, second], [truth, second]), 1)
    assert.equal(tablesAgreement([second], [truth, second]), 1 / 2)
    assert.equal(tablesAgreement([truth, second], [second]), 1 / 2)
    assert.equal(tablesAgreement([], []), 1)
  })
})

test('it measures how often two readers agree on types', () => {
  const ours = [
    { type: 'Title', text: 'Weir' },
    { type: 'NarrativeText', text: 'It holds the water.' },
    { type: 'ListItem', text: 'A hook' },
  ]
  const theirs = [
    { type: 'Title', text: 'Weir ' },
    { type: 'Title', text: 'It holds  the water.' },
  ]
  assert.deepEqual(typeAgreement([ours], [theirs]), {
    same_text: 0.667,
    same_type: 0.5,
    differences: { 'NarrativeText, theirs Title': 1 },
  })
})
