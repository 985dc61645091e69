import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { AppError } from '../errors.ts'
import { createVault } from '../store/vault.ts'
import { createCursors, MAX_SEEN, NOTHING_SEEN } from './cursor.ts'

const vault = createVault(randomBytes(32))
const search = ['destination', { as: { user: 'ann' } }, 'water', {}]
const isRefused = (error: unknown) => error instanceof AppError && error.code === 'invalid_request'

test('it holds the hits of all earlier pages', () => {
  const cursors = createCursors(vault)
  const first = cursors.write(['a', 'b'], NOTHING_SEEN, search)!
  const second = cursors.write(['c'], cursors.read(first, search), search)!
  const seen = cursors.read(second, search)
  assert.deepEqual(
    [seen.size, ...['a', 'b', 'c', 'd'].map((id) => seen.has(id))],
    [3, true, true, true, false],
  )
})

test('it refuses a cursor of another search, another key, or a changed one', () => {
  const cursors = createCursors(vault)
  const cursor = cursors.write(['a'], NOTHING_SEEN, search)!
  const other = ['destination', { as: { user: 'ben' } }, 'water', {}]
  assert.throws(() => cursors.read(cursor, other), isRefused)
  assert.throws(() => createCursors(createVault(randomBytes(32))).read(cursor, search), isRefused)
  const bytes = Buffer.from(cursor, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    assert.throws(() => cursors.read(changed.toString('base64url'), search), isRefused)
  }
  for (const text of ['', 'x', 'é', cursor.slice(0, -8), 'A'.repeat(60)])
    assert.throws(() => cursors.read(text, search), isRefused)
})

test('it refuses a cursor after an hour', () => {
  let now = 1_000_000_000_000
  const cursors = createCursors(vault, () => now)
  const cursor = cursors.write(['a'], NOTHING_SEEN, search)!
  now += 3600_000
  assert.equal(cursors.read(cursor, search).size, 1)
  now += 2000
  assert.throws(() => cursors.read(cursor, search), isRefused)
})

test('it ends at the limit of hits, below 9 KB', () => {
  const cursors = createCursors(vault)
  const many = Array.from({ length: MAX_SEEN }, (_, at) => `hit ${at}`)
  const cursor = cursors.write(many, NOTHING_SEEN, search)!
  assert.ok(cursor.length < 9000)
  assert.equal(cursors.write(['one more'], cursors.read(cursor, search), search), null)
})
