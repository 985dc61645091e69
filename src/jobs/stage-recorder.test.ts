import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentStage } from '../document-stage.ts'
import { createStageRecorder } from './stage-recorder.ts'

type Written = [string, DocumentStage][]

test('it writes the last stage of each document that has not ended', async () => {
  const written = Promise.withResolvers<Written>()
  const stages = createStageRecorder({ write: async (reached) => written.resolve([...reached]), everyMs: 1 })
  stages.reach(['a', 'b', 'c'], 'partition')
  stages.reach(['a', 'b'], 'embed')
  assert.equal(await stages.finish(['b'], async () => 'ended'), 'ended')
  assert.deepEqual(await written.promise, [
    ['a', 'embed'],
    ['c', 'partition'],
  ])
  await stages.close()
})

test('it never writes stages and outcomes at the same time, and survives a failed write', async () => {
  const order: string[] = []
  const began = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const write = async () => {
    order.push('stages begin')
    began.resolve()
    await held.promise
    order.push('stages end')
    throw new Error('the connection is lost')
  }
  const stages = createStageRecorder({ write, everyMs: 1 })
  stages.reach(['a'], 'write')
  await began.promise
  const finished = stages.finish(['a'], async () => void order.push('outcome'))
  held.resolve()
  await finished
  await stages.close()
  assert.deepEqual(order, ['stages begin', 'stages end', 'outcome'])
})
