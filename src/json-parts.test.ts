import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonParts } from './json-parts.ts'

test('it writes any list as JSON.stringify does', () => {
  const long = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.repeat(4_000))
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 1.5, undefined, 'plain', '', 'lone \ud800', '\ud83d\ude00'.repeat(50_000)),
      long,
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('any'), { maxKeys: 4 }),
    ),
  })).any
  return fc.assert(
    fc.asyncProperty(fc.array(fc.array(value, { maxLength: 4 }), { maxLength: 3 }), async (lists) => {
      const parts = await Array.fromAsync(jsonParts(lists))
      assert.equal(parts.join(''), JSON.stringify(lists.flat()))
    }),
    { numRuns: 150 },
  )
})

test('it writes a long text in short parts', async () => {
  const parts = await Array.fromAsync(jsonParts([[{ text: 'water '.repeat(500_000) }]]))
  assert.ok(parts.length > 40)
  assert.ok(parts.every((part) => part.length < 150_000))
})
