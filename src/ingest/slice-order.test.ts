import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inSliceOrder } from './slice-order.ts'

describe('order of slices', () => {
  async function slice(number: number, documents: number, log: number[]): Promise<void> {
    for (let done = 0; done < documents; done++) {
      await inSliceOrder(number)
      log.push(number)
    }
  }

  test('it finishes an earlier slice before a later one', async () => {
    const log: number[] = []
    await Promise.all([slice(2, 3, log), slice(1, 3, log)])
    assert.deepEqual(log, [1, 1, 1, 2, 2, 2])
  })

  test('it gives a later slice its turn while an earlier one waits for something else', async () => {
    const log: number[] = []
    const early = async () => {
      await slice(3, 1, log)
      await sleep(50)
      await slice(3, 1, log)
    }
    await Promise.all([early(), slice(4, 3, log)])
    assert.deepEqual(log, [3, 4, 4, 4, 3])
  })
})
