import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createMessageCheck } from './message-check.ts'

const message = (code: string, body: string | Buffer) => {
  const bytes = Buffer.from(body)
  const head = Buffer.alloc(5)
  head.write(code)
  head.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}
const error = message('E', 'SERROR\0C42P01\0Mno such table\0\0')
const others = [
  message('Z', 'I'),
  message('1', ''),
  message('D', Buffer.alloc(3000, 7)),
  message('N', 'Mhi\0\0'),
]

/** Whether the check accepts the bytes in chunks of these sizes. */
function accepts(bytes: Buffer, sizes: number[]): boolean {
  const check = createMessageCheck()
  try {
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const size = sizes[i % sizes.length] ?? 1
      check(bytes.subarray(at, at + size))
      at += size
    }
    return true
  } catch (thrown) {
    assert.match(String(thrown), /invalid message/)
    return false
  }
}

describe('the check of messages', () => {
  test('it accepts messages of a server, however they are cut', () => {
    const bytes = Buffer.concat([...others, error, ...others, error])
    const sizes = fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 8 })
    fc.assert(fc.property(sizes, (each) => accepts(bytes, each)))
  })

  test('it refuses errors and notices without an end, however they are cut', () => {
    const wrong = ['', 'S', 'SERROR', 'SERROR\0', 'SERROR\0C42P01\0M'].flatMap((body) => [
      message('E', body),
      message('N', body),
    ])
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 })
    for (const bad of wrong)
      fc.assert(fc.property(sizes, (each) => !accepts(Buffer.concat([...others, bad, error]), each)))
  })

  test('it refuses lengths that no message has', () => {
    assert.equal(accepts(Buffer.from('5a00000003', 'hex'), [5]), false)
    assert.equal(accepts(Buffer.from('4500ffffff00', 'hex'), [6]), false)
  })
})
