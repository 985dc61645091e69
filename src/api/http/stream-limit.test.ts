import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStreamLimit } from './stream-limit.ts'

test('it limits streams per caller, per workspace and in total, and gives a place back once', async () => {
  const streams = createStreamLimit(null, { perCaller: 2, perWorkspace: 3, total: 4 })
  const open = (caller: string, workspaceId = 'one') => streams.open({ caller, workspaceId })
  const first = await open('key:a')
  await open('key:a')
  await assert.rejects(open('key:a'), { code: 'rate_limited', message: /you have 2 event streams/ })
  await open('key:b')
  await assert.rejects(open('key:b'), { code: 'rate_limited', message: /the workspace has 3/ })
  await open('key:c', 'two')
  await assert.rejects(open('key:c', 'two'), { code: 'rate_limited', message: /this server has 4/ })
  first()
  first()
  await open('key:a')
  await assert.rejects(open('key:a'), { code: 'rate_limited', message: /you have 2/ })
  await assert.rejects(open('key:b'), { message: /the workspace has 3/ })
  await assert.rejects(open('key:c', 'two'), { message: /this server has 4/ })
})
