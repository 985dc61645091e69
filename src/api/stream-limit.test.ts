import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStreamLimit } from './stream-limit.ts'

test('it limits streams per caller, per workspace and in total, and gives a place back once', () => {
  const openStream = createStreamLimit({ perCaller: 2, perWorkspace: 3, total: 4 })
  const open = (caller: string, workspaceId = 'one') => openStream({ caller, workspaceId })
  const first = open('key:a')
  open('key:a')
  assert.throws(() => open('key:a'), { code: 'rate_limited', message: /you have 2 event streams/ })
  open('key:b')
  assert.throws(() => open('key:b'), { code: 'rate_limited', message: /the workspace has 3/ })
  open('key:c', 'two')
  assert.throws(() => open('key:c', 'two'), { code: 'rate_limited', message: /this server has 4/ })
  first()
  first()
  open('key:a')
  assert.throws(() => open('key:a'), { code: 'rate_limited', message: /you have 2/ })
  assert.throws(() => open('key:b'), { message: /the workspace has 3/ })
  assert.throws(() => open('key:c', 'two'), { message: /this server has 4/ })
})
