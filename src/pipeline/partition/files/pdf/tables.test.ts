import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item, Rule } from './page.ts'
import { ruledTables } from './tables.ts'

const item = (text: string, x: number, y: number, width: number): Item => ({
  ...{ text, x, y, width },
  ...{ size: 10, bold: false },
})

test('it joins the parts of a word in a cell and leaves out the space between double borders', () => {
  const lines = (vertical: boolean, places: number[], length: number): Rule[] =>
    places.map((at) => ({ vertical, x: vertical ? at : 0, y: vertical ? 0 : at, length }))
  const rules = [...lines(true, [0, 6, 100, 106, 200], 40), ...lines(false, [0, 20, 40], 200)]
  const items = [
    ...[item('Gate', 10, 15, 20), item('Height', 110, 15, 30)],
    ...[item('North', 10, 35, 25), item(':', 35, 35, 3), item('4', 110, 35, 5), item('m', 118, 35, 8)],
  ]
  const page = { number: 1, width: 600, height: 800, items, rules, links: [] }
  assert.equal(
    ruledTables(page)[0]?.block.metadata?.text_as_html,
    '<table><thead><tr><th>Gate</th><th>Height</th></tr></thead><tbody><tr><td>North:</td><td>4 m</td></tr></tbody></table>',
  )
})
