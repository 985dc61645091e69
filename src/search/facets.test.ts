import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FacetValues } from '../connectors/search.ts'
import { countFacets } from './facets.ts'

const element = (record: string, facets: FacetValues) => {
  return { key: `${record} ${Math.random()}`, record_id: record, score: 1, facets }
}

test('it counts each file of an archive by its own type', () => {
  const file = (path: string, filetype: string) => ({
    ...{ key: path, record_id: 'site/1', score: 1, path_in_archive: path, facets: { filetype: [filetype] } },
  })
  const shown = [file('a.txt', 'text/plain'), file('b.csv', 'text/csv'), file('a.txt', 'text/plain')]
  assert.deepEqual(countFacets(shown, ['filetype']).filetype, [
    { value: 'text/csv', count: 1 },
    { value: 'text/plain', count: 1 },
  ])
})

test('it counts documents, not elements, and sorts by count', () => {
  const mill = { space_key: ['MILL'], labels: ['a', 'b', 'a'] }
  const shown = [
    element('w/1', mill),
    element('w/1', mill),
    element('w/2', { space_key: ['MILL'], labels: [] }),
    element('w/3', { space_key: ['ABC'], labels: ['b'] }),
  ]
  assert.deepEqual(countFacets(shown, ['space_key', 'labels']), {
    space_key: [
      { value: 'MILL', count: 2 },
      { value: 'ABC', count: 1 },
    ],
    labels: [
      { value: 'b', count: 2 },
      { value: 'a', count: 1 },
    ],
  })
})

test('it counts dates by month, newest first', () => {
  const dates = ['2026-03-31T10:00:00Z', '2025-12-01', '2026-03-01T00:00:00.000Z']
  const shown = dates.map((modified, at) => element(`w/${at}`, { modified: [modified] }))
  assert.deepEqual(countFacets(shown, ['modified']).modified, [
    { value: '2026-03', count: 2 },
    { value: '2025-12', count: 1 },
  ])
})
