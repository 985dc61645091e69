import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { summarizeLog } from './log-summary.ts'

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

const at = (second: number) => `2026-11-15T10:00:${String(second).padStart(2, '0')}.500Z`
const log = [
  { at: at(0), event: 'start', job_id: 'j' },
  { event: 'settings', source_id: 's', destination_id: 'd', nodes: [], reprocess_all: false },
  { at: at(2), event: 'document', record_id: 'a', state: 'new' },
  { at: at(2), event: 'document', record_id: 'b', state: 'failed' },
  { at: at(4), event: 'document', record_id: 'c', state: 'permissions_only' },
  { at: at(4), event: 'document', record_id: 'd', state: 'pending' },
  { at: at(5), event: 'end', status: 'COMPLETED' },
]
  .map((line) => JSON.stringify(line))
  .join('\n')

describe('the summary of a log', () => {
  test('counts documents per second across any chunk boundary', async () => {
    for (const size of [1, 7, 1000]) {
      const summary = await summarizeLog(pieces(log, size))
      assert.deepEqual(
        Array.from(summary.seconds, (each) => each ?? 0),
        [0, 0, 2, 0, 1],
      )
    }
  })

  test('ignores invalid lines', async () => {
    const summary = await summarizeLog(
      pieces('not json\n[1]\n{"at":"never","event":"document","state":"new"}', 5),
    )
    assert.deepEqual(summary.seconds, [])
  })
})
