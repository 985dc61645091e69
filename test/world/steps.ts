import assert from 'node:assert/strict'
import { test } from 'node:test'

/** Tests that depend on each other: after a failure the rest fails too. */
export function steps(): (name: string, work: () => Promise<void>) => void {
  let broken: string | undefined
  return (name, work) => {
    test(name, async () => {
      assert.equal(broken, undefined, 'an earlier step failed')
      broken = name
      await work()
      broken = undefined
    })
  }
}
