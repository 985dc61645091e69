import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cqlPath, requestCloud } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'

interface Found {
  id: string
  type: string
  restrictions: { read: { restrictions: Record<'user' | 'group', { size: number }> } }
}

describe('a site with ordinary folders', () => {
  let wiki: Wiki
  let get: ReturnType<typeof requestCloud>
  let truth: Awaited<ReturnType<Wiki['control']['truth']>>

  before(async () => {
    wiki = await startWiki({ seed: 5, pages: 2000, people: 300, folders: 'ordinary' })
    get = requestCloud(wiki.cloudUrl)
    truth = await wiki.control.truth()
  })
  after(() => wiki.stop())

  const lists = '&expand=restrictions.read.restrictions.user,restrictions.read.restrictions.group'

  /** Everything that a search finds, in batches. */
  async function search(cql: string): Promise<{ found: Found[]; requests: number }> {
    const found: Found[] = []
    let path: string | undefined = cqlPath(cql, `&limit=250${lists}`)
    let requests = 0
    while (path !== undefined) {
      const { json } = await get(path)
      found.push(...json.results)
      path = json._links.next
      requests++
    }
    return { found, requests }
  }

  const restricted = ({ found }: { found: Found[] }): string[] =>
    found
      .filter(({ restrictions: { read } }) => read.restrictions.user.size + read.restrictions.group.size > 0)
      .map(({ id }) => id)

  test('it puts every page of a current space below one to three folders, few of them restricted', () => {
    const nodes = new Map(truth.pages.map((node) => [node.id, node]))
    const shapes = new Set(Object.values(truth.shapes))
    const homes = new Set(truth.spaces.map(({ homepageId }) => homepageId))
    const depths = new Set<number>()
    for (const page of truth.pages) {
      const space = truth.spaces.find(({ id }) => id === page.spaceId)
      if (page.kind !== 'page' || page.status !== 'current' || space?.type !== 'global') continue
      if (shapes.has(page.id) || homes.has(page.id)) continue
      let depth = 0
      for (let at = nodes.get(page.parentId ?? ''); at?.kind === 'folder'; at = nodes.get(at.parentId ?? ''))
        depth++
      depths.add(depth)
    }
    assert.deepEqual([...depths].sort(), [1, 2, 3])
    const folders = truth.pages.filter(({ title }) => / folder \d+$/.test(title))
    const share = folders.filter(({ restrictions: { read } }) => read.users.length + read.groups.length > 0)
    assert.ok(folders.length > 700, String(folders.length))
    assert.ok(share.length > 0 && share.length < folders.length / 20, String(share.length))
  })

  test('it has a group of all licensed people, who may edit in every global space', () => {
    const everyone = truth.groups.find(({ name }) => name === 'confluence-users')
    assert.ok((everyone?.members.length ?? 0) >= 300)
    for (const { permissions, type } of truth.spaces)
      if (type === 'global') assert.ok(permissions.some(({ principal }) => principal.id === everyone?.id))
  })

  for (const cql of [
    'type = folder and space = "ENG"',
    'type in (folder, whiteboard, database) and space = ENG',
  ])
    test(`it finds folders with their restrictions in batches by ${cql}`, async () => {
      const folders = truth.pages.filter(({ kind, spaceKey }) => kind === 'folder' && spaceKey === 'ENG')
      const answer = await search(cql)
      assert.deepEqual(
        answer.found.map(({ id }) => id),
        folders.map(({ id }) => id),
      )
      assert.equal(answer.requests, Math.ceil(folders.length / 250))
      assert.deepEqual(
        restricted(answer),
        folders
          .filter(({ restrictions: { read } }) => read.users.length + read.groups.length > 0)
          .map(({ id }) => id),
      )
    })

  test('it finds folders by id, with empty lists if folder restrictions are hidden', async () => {
    const hidden = truth.pages.filter(
      ({ kind, spaceKey, restrictions: { read } }) =>
        kind === 'folder' && spaceKey === 'ENG' && read.users.length + read.groups.length > 0,
    )
    const cql = `id in (${hidden.map(({ id }) => id).join(',')})`
    assert.deepEqual(
      restricted(await search(cql)),
      hidden.map(({ id }) => id),
    )
    await wiki.control.set({ folderRestrictionsHidden: true })
    const answer = await search(cql)
    assert.deepEqual([answer.found.length, restricted(answer)], [hidden.length, []])
    await wiki.control.set({ folderRestrictionsHidden: false })
  })
})
