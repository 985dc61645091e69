import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { rulesOf } from './rules.ts'

test('it limits the lines of a page, even if few paths draw them', () => {
  const path = Array.from({ length: 20_000 }, (_, index) => {
    const [x, y] = [(index % 100) * 20, Math.floor(index / 100) * 20]
    return [0, x, y, 1, x + 20, y, 1, x + 20, y + 20, 1, x, y + 20, 4]
  }).flat()
  const drawn = { fnArray: [OPS.constructPath], argsArray: [[OPS.stroke, [path], null]] }
  const rules = rulesOf(drawn, [1, 0, 0, 1, 0, 0], OPS)
  assert.ok(rules.length >= 5000 && rules.length < 5010, String(rules.length))
})
