import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothSites, type SitesOptions } from '../../../../test/world/sites.ts'
import { createRandom } from '../../../../test/world/wiki/model/random.ts'
import type { Wiki } from '../../../../test/world/wiki/start.ts'
import { text } from '../../../../test/world/wiki-files.ts'
import { listAll, openSource } from '../../../../test/world/wiki-source.ts'
import type { DocumentRef } from '../../../document.ts'
import type { ListingPage } from '../../source.ts'

const { signal } = new AbortController()
const ALL_AT_ONCE = 1_000_000

const options: SitesOptions = {
  wiki: { seed: 23, spaces: 4, pages: 260, people: 20, groups: 6, comments: true, everyKind: true },
  fill: async (wiki) => {
    await wiki.control.set({ folderRestrictionsHidden: true })
    await moveAndRestrict(wiki)
  },
}

/** Moves pages below nodes with higher ids, and adds files and restrictions. */
async function moveAndRestrict({ control }: Wiki): Promise<void> {
  const random = createRandom(5)
  const { pages, people, groups } = await control.truth()
  const parents = new Map(pages.map((page) => [page.id, page.parentId]))
  const isBelow = (id: string | null, top: string): boolean =>
    id !== null && (id === top || isBelow(parents.get(id) ?? null, top))
  const current = pages.filter(({ kind, status }) => kind === 'page' && status === 'current')
  const nodes = pages.filter(({ kind, status }) => kind !== 'blogpost' && status === 'current')
  const inOneSpace = (spaceId: string) => nodes.filter((node) => node.spaceId === spaceId)
  for (let moves = 0; moves < 60; ) {
    const page = random.pick(current)
    const parent = random.pick(inOneSpace(page.spaceId))
    if (page.parentId === null || isBelow(parent.id, page.id)) continue
    await control.movePage(page.id, parent.id)
    parents.set(page.id, parent.id)
    moves++
  }
  for (let i = 0; i < 12; i++) {
    const read = i % 2 ? { users: [random.pick(people).accountId] } : { groups: [random.pick(groups).id] }
    await control.restrict(random.pick(nodes).id, { read })
    await control.attach(random.pick(current).id, { title: `file-${i}.txt`, ...text('text') })
  }
}

const everything = {
  extract_files: true,
  extract_images: true,
  include_comments: true,
  include_blog_posts: true,
  statuses: ['current', 'archived'],
}
const settings: Record<string, object> = {
  'all kinds and statuses': everything,
  'a limit': { ...everything, max_num_of_docs_from_each_space: 31 },
  'included labels and a limit': {
    ...everything,
    include_labels: ['kb'],
    max_num_of_docs_from_each_space: 9,
  },
  'excluded labels': { exclude_labels: ['kb', 'howto'] },
  'a query and a limit': { cql: 'label = kb', include_blog_posts: true, max_num_of_docs_from_each_space: 12 },
  'assumed ancestors': { unproved_ancestors: 'open' },
}

onBothSites('listing in batches', options, (site) => {
  const open = (batchSize: number, more: object, account?: 'powerless') =>
    openSource({ ...site, wiki: site.wiki, egress: site.egress, batchSize }, more, account)

  for (const [name, more] of Object.entries(settings))
    test(`gives the same refs in batches of any size with ${name}`, async () => {
      const whole = await listAll(open(ALL_AT_ONCE, more))
      assert.ok(whole.complete && whole.refs.length > 20)
      for (const batchSize of [1, 23]) {
        const inBatches = await listAll(open(batchSize, more))
        assert.deepEqual(inBatches.refs.map(comparable), whole.refs.map(comparable))
        assert.deepEqual([inBatches.warnings, inBatches.ends], [whole.warnings, whole.ends])
        assert.ok(inBatches.complete)
      }
    })

  test('grants nothing if permissions cannot be read, in batches of any size', async () => {
    const whole = await listAll(open(ALL_AT_ONCE, everything, 'powerless'))
    assert.ok(whole.warnings.length > 0)
    for (const batchSize of [3, 40]) {
      const inBatches = await listAll(open(batchSize, everything, 'powerless'))
      assert.deepEqual(inBatches.refs.map(comparable), whole.refs.map(comparable))
      assert.deepEqual(inBatches.warnings, whole.warnings)
    }
  })

  for (const [name, more] of Object.entries(settings))
    test(`continues after each batch with ${name}`, async () => {
      const pages = (await Array.fromAsync(open(16, more).list(signal))).filter(isRefsOrEnd)
      const ends = pages.filter(({ kind }) => kind === 'end')
      for (let count = 1; count < pages.length; count += 5) {
        const [before, after] = [pages.slice(0, count), pages.slice(count)]
        const from = {
          ended: new Set(before.flatMap((page) => (page.kind === 'end' ? [page.scope] : []))),
          after: new Map(
            before.flatMap((page) =>
              page.kind === 'refs' ? [[page.scope, page.refs.at(-1)!.position]] : [],
            ),
          ),
        }
        const continued = await listAll(open(25, more), from)
        assert.deepEqual(continued.refs.map(comparable), refsOf(after).map(comparable))
        assert.deepEqual(
          continued.ends,
          ends.filter((page) => after.includes(page)),
        )
        assert.ok(continued.complete)
      }
    })
})

function isRefsOrEnd(page: ListingPage): page is Extract<ListingPage, { kind: 'refs' | 'end' }> {
  return page.kind === 'refs' || page.kind === 'end'
}

function refsOf(pages: ListingPage[]): DocumentRef[] {
  return pages.flatMap((page) => (page.kind === 'refs' ? page.refs : []))
}

/**
 * Restricted pages below a folder of which no open page was read yet are checked themselves: the clauses may name the
 * same readers in another way.
 */
function comparable(ref: DocumentRef): object {
  const { clauses, levels, ...access } = ref.access
  const isRestrictedBelow = access.set?.own?.checked !== undefined && access.set.levels.length > 1
  return { ...ref, access: isRestrictedBelow ? access : { ...access, clauses, levels } }
}
