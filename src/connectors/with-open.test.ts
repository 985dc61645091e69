import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { closeOnFailure, withOpen } from './with-open.ts'

function closable(close: () => Promise<void> = async () => {}) {
  const opened = {
    closes: 0,
    close() {
      opened.closes++
      return close()
    },
  }
  return opened
}
const failing = () => Promise.reject(new Error('cannot close'))
const broken = () => {
  throw new Error('broken')
}

describe('withOpen', () => {
  test('it closes once, after the work', async () => {
    const opened = closable()
    const during = await withOpen(Promise.resolve(opened), async ({ closes }) => closes)
    assert.deepEqual([during, opened.closes], [0, 1])
  })

  test('it closes once if the work fails, also before it waits', async () => {
    for (const work of [async () => broken(), broken]) {
      const opened = closable()
      await assert.rejects(withOpen(Promise.resolve(opened), work), /broken/)
      assert.equal(opened.closes, 1)
    }
  })

  test('it reports the first error if closing fails too', async () => {
    const opened = closable(failing)
    await assert.rejects(withOpen(Promise.resolve(opened), broken), /broken/)
    assert.equal(opened.closes, 1)
  })

  test('it reports a failure to close', async () => {
    const opened = closable(failing)
    await assert.rejects(
      withOpen(Promise.resolve(opened), async () => 'done'),
      /cannot close/,
    )
    assert.equal(opened.closes, 1)
  })

  test('it does not run the work if opening fails', async () => {
    let runs = 0
    const opening = Promise.reject<ReturnType<typeof closable>>(new Error('refused'))
    await assert.rejects(
      withOpen(opening, async () => runs++),
      /refused/,
    )
    assert.equal(runs, 0)
  })
})

test('it keeps open what the work returns, and closes it if the work fails', async () => {
  const opened = closable(failing)
  assert.equal(await closeOnFailure(opened, async (given) => given), opened)
  assert.equal(opened.closes, 0)
  await assert.rejects(closeOnFailure(opened, broken), /broken/)
  assert.equal(opened.closes, 1)
})
