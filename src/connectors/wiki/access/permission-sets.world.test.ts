import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothSites, type Site } from '../../../../test/world/sites.ts'
import type { SpacePermission } from '../../../../test/world/wiki/model/model.ts'
import { startWiki, type Wiki } from '../../../../test/world/wiki/start.ts'
import { addSpace, everyone, listAll, openSource, pageOf } from '../../../../test/world/wiki-source.ts'

const settings = { extract_files: true, include_blog_posts: true, statuses: ['current', 'archived'] }

/** A random wiki with restrictions, folders and every kind of account. */
for (const seed of [5, 29, 83]) {
  const wiki = { seed, spaces: 5, pages: 250, people: 20, groups: 6, everyKind: true }
  onBothSites(`permission sets of wiki ${seed}`, { wiki, settings }, (site) => {
    test('hold documents with the same access only', async () => {
      await site.control.set({ folderRestrictionsHidden: true })
      const source = site.open()
      const { refs } = await listAll(source)
      const named = refs.filter(({ access }) => access.set)
      const bySet = Map.groupBy(named, ({ access }) => JSON.stringify(access.set))
      assert.ok(bySet.size > 5 && bySet.size < refs.length, `${bySet.size} sets`)
      const shared = [...bySet.values()].filter((inSet) => inSet.length > 1)
      for (const [first, ...others] of shared.slice(0, 25)) {
        for (const { access } of others) assert.deepEqual(access, first?.access)
        // Read alone, because a listing computes a set once.
        const alone = await source.relist(others.slice(-1), new AbortController().signal)
        const access = alone.refs[0]?.access
        assert.deepEqual(access?.permissions, first?.access.permissions)
        // Checks on a restricted page below a folder may name the same people differently.
        if (!first?.access.set?.own?.checked) assert.deepEqual(access, first?.access)
      }
      for (const { access } of refs) assert.ok(access.set !== undefined || access.unproved)
    })
  })
}

const small = { seed: 51, spaces: 3, pages: 30, people: 10, groups: 4, everyKind: true }
onBothSites('the identities of permission sets', { wiki: small, settings }, (site) => {
  test('stay when permissions of a space or of a restricted page change', async () => {
    const [ann, ben] = await people(site)
    const space = await site.newSpace()
    const parent = await site.newPage(space)
    const child = await site.newPage(space, { parentId: parent })
    await site.control.restrict(parent, { read: { users: [ann] } })
    const names = async () => {
      const refs = await site.refsOf(space)
      return new Map(refs.map(({ recordId, access }) => [recordId, access.set]))
    }
    const accessOf = async () => pageOf(await site.refsOf(space), child).access
    const [before, access] = [await names(), await accessOf()]
    await site.control.setSpacePermissions(space, [may('read', ann), may('read', ben)])
    const changed = await accessOf()
    assert.deepEqual(await names(), before)
    assert.notDeepEqual(changed, access)
    await site.control.restrict(parent, { read: { users: [ann, ben] } })
    assert.deepEqual(await names(), before)
    assert.notDeepEqual(await accessOf(), changed)
  })

  test('hold the space, the restricted pages, the update restriction and owners who may delete', async () => {
    const [ann, ben, annHere] = await people(site)
    const space = await site.newSpace()
    const [open, parent] = [await site.newPage(space), await site.newPage(space)]
    const child = await site.newPage(space, { parentId: parent })
    const grandchild = await site.newPage(space, { parentId: child })
    const edited = await site.newPage(space, { parentId: parent, authorId: ann })
    await site.control.restrict(parent, { read: { users: [ann] } })
    await site.control.restrict(grandchild, { read: { users: [ann] } })
    await site.control.restrict(edited, { update: { users: [ben] } })
    const spaceId = await idOf(site, space)
    const names = async () => {
      const refs = await site.refsOf(space)
      return [open, parent, child, grandchild, edited].map((id) => pageOf(refs, id).access.set)
    }
    const setOf = (levels: string[], own = {}) => {
      return { site: site.deployment.recordsOf(site.wiki), scope: spaceId, levels, own }
    }
    assert.deepEqual(await names(), [
      setOf([]),
      setOf([parent]),
      setOf([parent]),
      setOf([parent, grandchild]),
      setOf([parent], { update: edited }),
    ])
    const own = { principal: everyone, operation: { key: 'delete', targetType: 'space' } }
    await site.control.setSpacePermissions(space, [
      { principal: everyone, operation: { key: 'read', targetType: 'space' } },
      own,
    ])
    assert.deepEqual((await names()).at(-1), setOf([parent], { update: edited, owner: annHere }))
  })

  test('come with the names of the restricted levels', async () => {
    const [ann] = await people(site)
    const space = await site.newSpace()
    const parent = await site.newPage(space, { title: 'Parent' })
    const child = await site.newPage(space, { title: 'Child', parentId: parent })
    const post = await site.newPage(space, { title: 'Post', kind: 'blogpost' })
    for (const id of [parent, child, post]) await site.control.restrict(id, { read: { users: [ann] } })
    const refs = await site.refsOf(space)
    const [top, ...levels] = pageOf(refs, child).access.levels ?? []
    assert.deepEqual([top?.kind, top?.id], ['space', await idOf(site, space)])
    const ofParent = { kind: 'page', id: parent, title: 'Parent' }
    assert.deepEqual(levels, [ofParent, { kind: 'page', id: child, title: 'Child' }])
    assert.deepEqual(pageOf(refs, post).access.levels?.slice(1), [
      { kind: 'blogpost', id: post, title: 'Post' },
    ])
  })

  test('differ for a new space with the key of a deleted one', async () => {
    const space = await site.newSpace()
    const [before] = await site.refsOf(space)
    await site.control.deleteSpace(space)
    await addSpace(site.wiki, space)
    const [after] = await site.refsOf(space)
    assert.ok(before?.access.set && after?.access.set)
    assert.notDeepEqual(after.access.set, before.access.set)
  })

  test('differ for another wiki with the same keys and ids', async () => {
    const other = await startWiki({ seed: 5, spaces: 2, pages: 20 })
    const twin = await startWiki({ seed: 5, spaces: 2, pages: 20 })
    const setsOf = async (wiki: Wiki) => {
      const { refs } = await listAll(openSource({ ...site, wiki }))
      return new Map(refs.map(({ locator, access }) => [locator.page_id, JSON.stringify(access.set)]))
    }
    try {
      const [sets, twins] = [await setsOf(other), await setsOf(twin)]
      assert.deepEqual([...twins.keys()], [...sets.keys()])
      assert.deepEqual(
        [...twins.values()].filter((set) => [...sets.values()].includes(set)),
        [],
      )
    } finally {
      await Promise.all([other.stop(), twin.stop()])
    }
  })
})

async function idOf({ control }: Site, key: string): Promise<string | undefined> {
  return (await control.truth()).spaces.find((space) => space.key === key)?.id
}

function may(key: string, id: string): SpacePermission {
  return { principal: { type: 'user', id }, operation: { key, targetType: 'space' } }
}

/** Two people, and the first under its id on the site. */
async function people({ control, deployment }: Site): Promise<[string, string, string]> {
  const active = (await control.truth()).people.filter(
    (person) => person.active && person.licensed && person.accountType === 'atlassian',
  )
  const [ann, ben] = active
  assert.ok(ann && ben)
  return [ann.accountId, ben.accountId, deployment.idOf(ann)]
}
