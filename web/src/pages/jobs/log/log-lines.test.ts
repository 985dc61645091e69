import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logLines } from './log-lines.ts'

test('it says in words what each line of a log means', () => {
  const lines = logLines(
    [
      { at: '2026-11-15T10:00:00Z', level: 'info', event: 'start', job_id: 'j' },
      { level: 'info', event: 'settings', nodes: [{ name: 'Partitioner' }, { name: 'Chunker' }] },
      { level: 'warning', event: 'warning', code: 'x', message: 'space ENG is left out' },
      {
        ...{
          at: '2026-11-15T10:00:01Z',
          level: 'error',
          event: 'document',
          record_id: 'wiki/1',
          title: 'One',
        },
        ...{ state: 'failed', error: { code: 'document_broken', message: 'not HTML' } },
      },
      { level: 'info', event: 'document', record_id: 'wiki/2', title: 'Two', state: 'new', elements: 3 },
      { level: 'info', event: 'end', processing_status: 'SUCCESS', message: null },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n')
      .concat('\nnot json\n'),
  )
  assert.deepEqual(
    lines.map(({ level, text, document }) => [level, text, document?.title]),
    [
      ['info', 'Run started', undefined],
      ['info', 'Steps: Partitioner, Chunker', undefined],
      ['warning', 'space ENG is left out', undefined],
      ['error', 'Failed. Broken file', 'One'],
      ['info', 'New. 3 elements', 'Two'],
      ['info', 'Run ended: Successful', undefined],
      ['info', 'not json', undefined],
    ],
  )
})
