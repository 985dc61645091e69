import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStreamLimit } from './stream-limit.ts'

test('it limits streams per caller and in total, and gives a place back once', () => {
  const open = createStreamLimit({ perCaller: 2, total: 3 })
  const first = open('key:a')
  open('key:a')
  assert.throws(() => open('key:a'), { code: 'rate_limited', message: /you have 2 event streams/ })
  open('key:b')
  assert.throws(() => open('key:b'), { code: 'rate_limited', message: /this server has 3/ })
  first()
  first()
  open('key:a')
  assert.throws(() => open('key:a'), { code: 'rate_limited' })
  assert.throws(() => open('key:b'), { message: /this server has 3/ })
})
