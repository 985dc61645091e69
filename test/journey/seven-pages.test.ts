import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cast, type Name, names, pages } from '../oracle/seven-pages.ts'
import { byPage, contents, type Indexed } from '../world/agreement.ts'
import { type Flow, makeFlow, run } from '../world/flow.ts'
import { createSevenPages, namedIn } from '../world/seven-pages.ts'
import { openWorld, type World } from '../world/world.ts'

type Found = { total: number; hits: { record_id: string; title: string }[] }

describe('search over the seven pages', () => {
  let world: World
  let flow: Flow
  let indexed: Map<string, Indexed[]>
  let idOf: Map<string, string>
  before(async () => {
    world = await openWorld({ wiki: { seed: 10, pages: 40, spaces: 4, people: 8, groups: 3 } })
    idOf = await createSevenPages(world.wiki)
    flow = await makeFlow(world)
    const { details } = await run(world, flow)
    assert.equal(details.processing_status, 'SUCCESS', details.message ?? '')
    indexed = byPage(await contents(world))
  })
  after(() => world.close())

  /** Uses words of the pages, so that everyone who may read one finds it among the first hits. */
  const finds = async (user: string, pageIds: string[]): Promise<string[]> => {
    const words = pageIds.map((id) => indexed.get(id)?.[0]?._source.text.slice(0, 90))
    assert.ok(!words.includes(undefined), 'the pages are in the index')
    const answer = await world.api.post<Found>(`/destinations/${flow.destinationId}/search`, {
      query: words.join(' '),
      as: { user },
      size: 100,
    })
    assert.equal(answer.status, 200, answer.text)
    const found = answer.body.hits.map(({ record_id }) => record_id)
    return pageIds.filter((id) => found.some((recordId) => recordId.endsWith(`/${id}`)))
  }

  for (const page of pages) {
    test(`it shows ${page.title} to exactly the expected people`, async () => {
      const id = idOf.get(page.title)!
      const found: Name[] = []
      for (const name of names) if ((await finds(cast[name].id, [id])).length > 0) found.push(name)
      assert.deepEqual(found, page.readers)
      for (const element of indexed.get(id) ?? []) {
        const [{ read }, { update }, { delete: remove }] =
          element._source.metadata.data_source.permissions_data
        assert.deepEqual(namedIn(read), page.readers, 'the read list')
        assert.deepEqual(namedIn(update), page.editors, 'the update list')
        assert.deepEqual(namedIn(remove), page.deleters, 'the delete list')
      }
    })
  }

  test('it shows each kind of page to exactly the people whom the wiki allows', async () => {
    const { shapes, people } = await world.wiki.control.truth()
    const readers = await world.wiki.control.readers()
    const wanted = [
      'spaceOnly',
      'ownRestriction',
      'ancestorOnly',
      'ownInsideAncestorGroup',
      'bothDifferent',
      'appOnly',
      'rbacSpace',
      'underFolder',
    ]
    const ids = wanted.map((shape) => shapes[shape] ?? assert.fail(`the wiki has no page for ${shape}`))
    // Closed accounts cannot sign in, so no one searches as them.
    for (const { accountId, name } of people.filter(({ active }) => active)) {
      const may = ids.filter((id) => readers[id]?.includes(accountId))
      assert.deepEqual(await finds(accountId, ids), may, `what ${name} finds of ${wanted}`)
    }
  })
})
