import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item, Rule } from './page.ts'
import { ruledTables } from './tables.ts'

const item = (text: string, x: number, y: number, width: number): Item => ({
  ...{ text, x, y, width },
  ...{ size: 10, bold: false },
})

const lines = (vertical: boolean, places: number[], length: number): Rule[] =>
  places.map((at) => ({ vertical, x: vertical ? at : 0, y: vertical ? 0 : at, length }))
const pageOf = (items: Item[], rules: Rule[]) => ({
  ...{ number: 1, width: 600, height: 800, links: [] },
  ...{ items, rules },
})
const html = (items: Item[], rules: Rule[]) =>
  ruledTables(pageOf(items, rules)).map(({ block }) => block.metadata?.text_as_html)

test('it joins the parts of a word in a cell and leaves out the space between double borders', () => {
  const rules = [...lines(true, [0, 6, 100, 106, 200], 40), ...lines(false, [0, 20, 40], 200)]
  const items = [
    ...[item('Gate', 10, 15, 20), item('Height', 110, 15, 30)],
    ...[item('North', 10, 35, 25), item(':', 35, 35, 3), item('4', 110, 35, 5), item('m', 118, 35, 8)],
  ]
  assert.deepEqual(html(items, rules), [
    '<table><thead><tr><th>Gate</th><th>Height</th></tr></thead><tbody><tr><td>North:</td><td>4 m</td></tr></tbody></table>',
  ])
})

test('it takes the edges of backgrounds for cells only where no lines form a table', () => {
  const surfaces = [...lines(true, [0, 100, 200], 60), ...lines(false, [0, 20, 40, 60], 200)].map(
    (rule): Rule => ({ ...rule, ofSurface: true }),
  )
  const items = [
    ...[item('Gate', 10, 15, 20), item('Height', 110, 15, 30)],
    ...[item('North', 10, 35, 25), item('4 m, more in', 110, 35, 60), item('May', 110, 55, 20)],
  ]
  const head = '<table><thead><tr><th>Gate</th><th>Height</th></tr></thead><tbody>'
  const drawn = [...lines(true, [0, 100, 200], 60), ...lines(false, [0, 20, 60], 200)]
  assert.deepEqual(html(items, [...drawn, ...surfaces]), [
    `${head}<tr><td>North</td><td>4 m, more in May</td></tr></tbody></table>`,
  ])
  assert.deepEqual(html(items, surfaces), [
    `${head}<tr><td>North</td><td>4 m, more in</td></tr><tr><td></td><td>May</td></tr></tbody></table>`,
  ])
})
