import assert from 'node:assert/strict'
import { test } from 'node:test'

/** Tests that continue where the previous one stopped: after a failure the rest is skipped. */
export function steps(): (name: string, work: () => Promise<void>) => void {
  let broken: string | undefined
  return (name, work) => {
    test(name, async () => {
      assert.equal(broken, undefined, 'this step failed before')
      broken = name
      await work()
      broken = undefined
    })
  }
}
