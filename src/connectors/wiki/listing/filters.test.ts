import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PageInfo, Space, WikiClient } from '../client.ts'
import { byLabels, byQuery, hasFilters } from './filters.ts'

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
  test('are active if any of the three settings is set', () => {
    assert.equal(hasFilters(nothing), false)
    assert.equal(hasFilters({ ...nothing, cql: 'label = kb' }), true)
    assert.equal(hasFilters({ ...nothing, include_labels: ['kb'] }), true)
    assert.equal(hasFilters({ ...nothing, exclude_labels: ['kb'] }), true)
  })
})

describe('pages by labels', () => {
  const labels = new Map([
    ['1', ['kb']],
    ['2', ['KB', 'draft']],
    ['3', ['draft']],
  ])
  const byThese = (include_labels: string[], exclude_labels: string[], unlabelled: string[] = []) => {
    const selected = { rows, undecided: new Set(['1']) }
    const config = { ...nothing, include_labels, exclude_labels }
    return byLabels(config, selected, { labels, unlabelled: new Set(unlabelled) })
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
    const asked: (string | null)[] = []
    const matching: WikiClient['matching'] = async ({ cql }) => {
      asked.push(cql)
      return new Set(cql === null ? known : found)
    }
    // The only method in use.
    return { asked, client: { matching } as WikiClient }
  }

  test('are all pages without a query, and the search is not used', async () => {
    const { asked, client } = searching([], [])
    const { rows: selected, undecided } = await byQuery({ client, config: nothing }, { space, rows }, signal)
    assert.deepEqual([ids(selected), undecided.size, asked], [['1', '2', '3', '4'], 0, []])
  })

  test('are those found, plus those unknown to the search as undecided', async () => {
    const { asked, client } = searching(['2', '3'], ['1', '2', '3', '99'])
    const config = { ...nothing, cql: 'label = kb' }
    const { rows: selected, undecided } = await byQuery({ client, config }, { space, rows }, signal)
    assert.deepEqual(ids(selected), ['2', '3', '4'])
    assert.deepEqual([...undecided], ['4'])
    assert.deepEqual(asked.toSorted(), ['label = kb', null].toSorted())
  })

  test('are decided if the search finds them, even if it did not know them before', async () => {
    const { client } = searching(['1'], [])
    const config = { ...nothing, cql: 'label = kb' }
    const { undecided } = await byQuery({ client, config }, { space, rows }, signal)
    assert.deepEqual([...undecided], ['2', '3', '4'])
  })
})
