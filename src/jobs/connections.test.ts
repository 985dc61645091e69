import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Source } from '../connectors/source.ts'
import { openUntilClosed } from './connections.ts'

/** Only `close` matters here. */
const sourceThat = (close: () => Promise<void>) => ({ close }) as Source

test('it releases secrets when the connector is closed, also if closing fails', async () => {
  for (const close of [async () => {}, async () => Promise.reject(new Error('broken'))]) {
    let releases = 0
    const release = () => {
      releases++
    }
    const source = await openUntilClosed(release, async () => sourceThat(close))
    assert.equal(releases, 0)
    await source.close().catch(() => null)
    assert.equal(releases, 1)
  }
})

test('it releases secrets of a connector that cannot be opened', async () => {
  let releases = 0
  const release = () => {
    releases++
  }
  const opening = openUntilClosed<Source>(release, () => Promise.reject(new Error('refused')))
  await assert.rejects(opening, /refused/)
  assert.equal(releases, 1)
})
