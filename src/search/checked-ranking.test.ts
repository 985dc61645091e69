import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RankedElement, Search } from '../connectors/search.ts'
import { type RankingRequest, rankChecked } from './checked-ranking.ts'
import type { Verdict } from './hit-check.ts'

const { signal } = new AbortController()

type Options = { isExcluded?(at: number): boolean; isUnknown?(at: number): boolean; perDocument?: number }

/** An index of `count` elements, `perDocument` of them in each document. */
function index(
  count: number,
  { isExcluded = () => false, isUnknown = () => false, perDocument = 1 }: Options = {},
) {
  const depths: number[] = []
  const checked: string[] = []
  const elements: RankedElement[] = Array.from({ length: count }, (_, at) => {
    return { key: `e${at}`, record_id: `w/${Math.floor(at / perDocument)}`, score: 1 / (at + 1) }
  })
  const search: Search = {
    async rank({ depth }) {
      depths.push(depth)
      return { total: elements.length, ranked: elements.slice(0, depth) }
    },
    elements: async () => new Map(),
    keyOf: (recordId, elementId) => `${recordId} ${elementId}`,
    dims: async () => null,
  }
  const check = async (ids: string[]) => {
    checked.push(...ids)
    return new Map(
      ids.map((id): [string, Verdict] => {
        const at = Number(id.slice('w/'.length))
        return [id, isUnknown(at) ? 'unknown' : isExcluded(at) ? 'excluded' : 'shown']
      }),
    )
  }
  const page = (from: number, size: number, more: Partial<RankingRequest> = {}) =>
    rankChecked(
      {
        ...{ request: { query: 'x', tokens: [] }, from, size, groupBy: 'element' },
        ...{ isSeen: () => false, seen: 0, ...more },
      },
      { search, check },
      signal,
    )
  return { page, depths, checked, elements }
}

const principalLists = ({ page }: { page: { id: string }[] }) =>
  page.map(({ id }) => Number(id.replace(/^\D+/, '')))
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)

describe('a ranking that checks its matches', () => {
  test('it takes one round if nothing is excluded', async () => {
    const { page, depths } = index(1000)
    const found = await page(20, 10)
    assert.deepEqual([principalLists(found), depths], [range(20, 30), [500]])
    assert.deepEqual([found.total, found.total_relation, found.incomplete], [1000, 'lte', false])
  })

  test('it fills the page from further matches', async () => {
    const { page, depths, checked } = index(2000, { isExcluded: (at) => at < 900 })
    const found = await page(0, 10)
    assert.deepEqual([principalLists(found), depths], [range(900, 910), [500, 1000]])
    assert.deepEqual([found.total, found.total_relation, found.incomplete], [1100, 'lte', false])
    assert.equal(checked.length, new Set(checked).size, 'each document is checked once')
  })

  for (const size of [1, 7, 100])
    test(`it pages in steps of ${size} without gaps or repeats`, async () => {
      const isExcluded = (at: number) => at % 3 !== 0 || (at > 100 && at < 300)
      const { page } = index(500, { isExcluded })
      const byOffset: number[] = []
      for (let from = 0; ; from += size) {
        const ids = principalLists(await page(from, size))
        if (ids.length === 0) break
        byOffset.push(...ids)
      }
      const seen = new Set<string>()
      for (let hasNext = true; hasNext; ) {
        const found = await page(0, size, { isSeen: (id) => seen.has(id), seen: seen.size })
        for (const { id } of found.page) seen.add(id)
        hasNext = found.hasNext
      }
      const all = range(0, 500).filter((at) => !isExcluded(at))
      assert.deepEqual(byOffset, all)
      assert.deepEqual(
        [...seen].map((id) => Number(id.slice(1))),
        all,
      )
    })

  test('it counts exactly if it checked every match', async () => {
    const { page } = index(400, { isExcluded: (at) => at % 2 === 0 })
    const found = await page(0, 10)
    assert.deepEqual([found.total, found.total_relation, found.isWhole], [200, 'eq', true])
  })

  test('it stops after five rounds and says so', async () => {
    const { page, depths } = index(50_000, { isExcluded: (at) => at > 2 })
    const found = await page(0, 10)
    assert.deepEqual(depths, [500, 1000, 2500, 5000, 10_000])
    assert.deepEqual([principalLists(found), found.incomplete, found.hasNext], [[0, 1, 2], true, false])
    assert.deepEqual([found.total, found.total_relation], [40_003, 'lte'])
  })

  test('it has a next page while matches remain unchecked', async () => {
    const { page } = index(600, { isExcluded: (at) => at >= 10 && at < 590 })
    const found = await page(0, 10)
    assert.deepEqual([principalLists(found), found.hasNext], [range(0, 10), true])
    const seen = new Set(found.passed)
    const rest = await page(0, 10, { isSeen: (id) => seen.has(id), seen: seen.size })
    assert.deepEqual([principalLists(rest), rest.hasNext], [range(590, 600), false])
  })

  test('it counts and pages documents, with their elements best first', async () => {
    const { page } = index(400, { perDocument: 4, isExcluded: (at) => at === 1 })
    const found = await page(0, 2, { groupBy: 'document' })
    assert.deepEqual(
      found.page.map(({ id, elements }) => [id, elements.map(({ key }) => key)]),
      [
        ['w/0', ['e0', 'e1', 'e2', 'e3']],
        ['w/2', ['e8', 'e9', 'e10', 'e11']],
      ],
    )
    assert.deepEqual([found.total, found.total_relation], [99, 'eq'])
    const many = await index(3000, { perDocument: 4 }).page(0, 2, { groupBy: 'document' })
    assert.ok(many.total >= 750 && many.total_relation === 'lte', 'an upper bound')
  })

  test('it counts documents that no ledger knows, once each', async () => {
    const { page } = index(30, { isUnknown: (at) => at % 10 === 0 })
    const found = await page(0, 30)
    assert.deepEqual([found.unknown_document, found.total, found.page.length], [3, 27, 27])
  })

  test('it repeats no hit if the index changes between pages', async () => {
    const { page, elements } = index(100)
    const first = await page(0, 10)
    const seen = new Set(first.passed)
    elements.unshift(elements.pop()!, { key: 'e500', record_id: 'w/500', score: 2 })
    const second = await page(0, 10, { isSeen: (id) => seen.has(id), seen: seen.size })
    assert.deepEqual(principalLists(second), [99, 500, ...range(10, 18)])
  })
})
