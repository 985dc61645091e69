import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { defaultNodes, settingsHash } from '../pipeline/nodes.ts'
import { runHash } from './run-hash.ts'

test('a source that renders plainly leaves the hash as it was before there was any other way', () => {
  const nodes = defaultNodes()
  const before = createHash('sha256')
    .update(`${settingsHash(nodes)} the-index`)
    .digest('hex')
    .slice(0, 32)
  assert.equal(runHash(nodes, 'the-index', ''), before)
})

test('another index and another rendition are other settings', () => {
  const nodes = defaultNodes()
  const hashes = [
    runHash(nodes, 'the-index', ''),
    runHash(nodes, 'another', ''),
    runHash(nodes, 'the-index', 'images'),
    runHash(nodes, 'the-index', 'images files'),
  ]
  assert.equal(new Set(hashes).size, hashes.length)
})
