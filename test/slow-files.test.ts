import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SLOW_FILES, TIMED_FILES } from './slow-files.ts'
import { slowestFirst } from './world/run-files.ts'

const listed = [...SLOW_FILES, ...TIMED_FILES]

for (const path of listed)
  test(`it finds ${path}`, () => {
    assert.ok(existsSync(join(import.meta.dirname, '..', path)))
  })

test('it lists each file once', () => {
  assert.equal(new Set(listed).size, listed.length)
})

test('it puts the slowest files first and keeps the order of the others', () => {
  const [slowest = '', second = ''] = SLOW_FILES
  assert.deepEqual(slowestFirst(['b', second, 'a', slowest]), [slowest, second, 'b', 'a'])
})
