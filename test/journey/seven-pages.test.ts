import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cast, type Name, names, pages, type Restricted, spaces, teams } from '../oracle/seven-pages.ts'
import { byPage, contents, type Indexed } from '../world/agreement.ts'
import { type Flow, makeFlow, run } from '../world/flow.ts'
import { openWorld, type World } from '../world/world.ts'

type Found = { total: number; hits: { record_id: string; title: string }[] }

describe('search over the seven pages', () => {
  let world: World
  let flow: Flow
  let indexed: Map<string, Indexed[]>
  const idOf = new Map<string, string>()
  before(async () => {
    world = await openWorld({ wiki: { seed: 10, pages: 40, spaces: 4, people: 8, groups: 3 } })
    await createPages(world, idOf)
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

async function createPages({ wiki: { control } }: World, idOf: Map<string, string>): Promise<void> {
  for (const name of names) {
    const { id, kind } = cast[name]
    await control.addPerson({ accountId: id, name, accountType: kind === 'person' ? 'atlassian' : kind })
  }
  for (const [name, { id, members }] of Object.entries(teams)) {
    await control.addGroup({ id, name: `the ${name}`, members: members.map((each) => cast[each].id) })
  }
  for (const [key, grants] of Object.entries(spaces)) {
    const permissions = grants.flatMap(({ to, operations }) =>
      operations.map((text) => {
        const [operation = '', targetType = ''] = text.split('/')
        return { principal: principalOf(to), operation: { key: operation, targetType } }
      }),
    )
    await control.addSpace({ key, name: `Space ${key}`, permissions })
  }
  await control.setSpaceUsesRoles('ROLES', true)
  for (const page of pages) {
    const id = await control.createPage({
      space: page.space,
      title: page.title,
      body: `<p>This page is about ${page.title}, and what follows from it.</p>`,
      authorId: cast.Cem.id,
      ...(page.below ? { parentId: idOf.get(page.below)! } : {}),
    })
    idOf.set(page.title, id)
    await control.restrict(id, { read: listOf(page.read), update: listOf(page.update) })
  }
}

type Right = (typeof spaces)['SEVEN'][number]

function principalOf(to: Right['to']): { type: 'user' | 'group' | 'access-class'; id: string } {
  if ('class' in to) return { type: 'access-class', id: to.class }
  return 'team' in to ? { type: 'group', id: teams[to.team].id } : { type: 'user', id: cast[to.person].id }
}

function listOf({ people = [], teams: named = [] }: Restricted = {}) {
  return { users: people.map((name) => cast[name].id), groups: named.map((team) => teams[team].id) }
}

type List = { users: string[]; groups: string[]; access_classes?: string[] }

function namedIn(list: List): Name[] {
  return names.filter((name) => {
    const ofTeams = Object.values(teams).filter(({ members }) => members.some((member) => member === name))
    return (
      list.users.includes(cast[name].id) ||
      ofTeams.some(({ id }) => list.groups.includes(id)) ||
      (cast[name].kind === 'person' && list.access_classes?.includes('all-licensed-users'))
    )
  })
}
