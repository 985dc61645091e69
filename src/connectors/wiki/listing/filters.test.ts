import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PageInfo, Space, WikiClient } from '../client.ts'
import { IdSet } from '../id-set.ts'
import { createQueryFilter, filterByLabels, filterByQuery, hasLabelFilters } from './filters.ts'

const { signal } = new AbortController()
const nothing = { cql: undefined, include_labels: [], exclude_labels: [] }
const space: Space = {
  id: '1',
  key: 'ENG',
  alias: null,
  name: 'Engineering',
  archived: false,
  homepageId: null,
}
// Only the id matters here.
const rows = ['1', '2', '3', '4'].map((id) => ({ id }) as PageInfo)
const ids = (pages: { id: string }[]) => pages.map(({ id }) => id)

describe('filters', () => {
  test('use labels if labels are included or excluded', () => {
    assert.equal(hasLabelFilters(nothing), false)
    assert.equal(hasLabelFilters({ ...nothing, cql: 'label = kb' }), false)
    assert.equal(hasLabelFilters({ ...nothing, include_labels: ['kb'] }), true)
    assert.equal(hasLabelFilters({ ...nothing, exclude_labels: ['kb'] }), true)
  })
})

describe('pages by labels', () => {
  const labels = new Map([
    ['1', ['kb']],
    ['2', ['KB', 'draft']],
    ['3', ['draft']],
  ])
  const byThese = (include_labels: string[], exclude_labels: string[], unreadable: string[] = []) => {
    const selected = { rows, undecided: new Set(['1']) }
    const config = { ...nothing, include_labels, exclude_labels }
    return filterByLabels(config, selected, { labels, unreadableLabels: new Set(unreadable) })
  }
  const kept = (...settings: [string[], string[]]) => ids(byThese(...settings).rows)

  test('are all pages if no label is named', () => assert.deepEqual(kept([], []), ['1', '2', '3', '4']))
  test('are those with an included label, in any case', () => {
    assert.deepEqual(kept(['Kb'], []), ['1', '2'])
    assert.deepEqual(kept(['draft', 'kb'], []), ['1', '2', '3'])
    assert.deepEqual(kept(['k'], []), [])
  })
  test('are not those with an excluded label, whatever else they have', () => {
    assert.deepEqual(kept([], ['Draft']), ['1', '4'])
    assert.deepEqual(kept(['kb'], ['draft']), ['1'])
    assert.deepEqual(kept(['kb'], ['kb']), [])
  })
  test('are undecided if deciding labels are unreadable, and stay undecided', () => {
    for (const settings of [
      [['kb'], []],
      [[], ['draft']],
    ] as [string[], string[]][]) {
      const { rows: selected, undecided } = byThese(...settings, ['4'])
      assert.ok(ids(selected).includes('4'))
      assert.deepEqual([...undecided].toSorted(), ['1', '4'])
    }
    assert.deepEqual([...byThese([], [], ['4']).undecided], ['1'])
  })
})

describe('pages by a query', () => {
  /** A search that finds some pages for the query and knows others. */
  function searching(found: string[], known: string[]) {
    const queries: (string | null)[] = []
    const matching: WikiClient['matching'] = async ({ cql }) => {
      queries.push(cql)
      const result = new IdSet()
      for (const id of cql === null ? known : found) result.add(id)
      return result
    }
    // The only method in use.
    return { queries, client: { matching } as WikiClient }
  }

  test('are all pages without a query, and the search is not used', async () => {
    const { queries, client } = searching([], [])
    const filter = await createQueryFilter({ client, config: nothing }, { space }, signal)
    const { rows: selected, undecided } = filterByQuery(filter, rows)
    assert.deepEqual([ids(selected), undecided.size, queries], [['1', '2', '3', '4'], 0, []])
  })

  test('are those found, plus those unknown to the search as undecided', async () => {
    const { queries, client } = searching(['2', '3'], ['1', '2', '3', '99'])
    const config = { ...nothing, cql: 'label = kb' }
    const filter = await createQueryFilter({ client, config }, { space }, signal)
    const { rows: selected, undecided } = filterByQuery(filter, rows)
    assert.deepEqual(ids(selected), ['2', '3', '4'])
    assert.deepEqual([...undecided], ['4'])
    assert.deepEqual(queries.toSorted(), ['label = kb', null].toSorted())
  })

  test('are decided if the search finds them, even if it did not know them before', async () => {
    const { client } = searching(['1'], [])
    const config = { ...nothing, cql: 'label = kb' }
    const filter = await createQueryFilter({ client, config }, { space }, signal)
    const { undecided } = filterByQuery(filter, rows)
    assert.deepEqual([...undecided], ['2', '3', '4'])
  })
})
