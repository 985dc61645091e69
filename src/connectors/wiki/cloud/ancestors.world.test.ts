import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { permissionChecks } from '../../../../test/world/checks.ts'
import { startWiki, type Wiki } from '../../../../test/world/wiki/start.ts'
import { matches, wrongReaders } from '../../../../test/world/wiki-readers.ts'
import {
  addSpace,
  cloud as deployment,
  everyone,
  listAll,
  openSource,
  pageOf,
  visitors,
} from '../../../../test/world/wiki-source.ts'
import { satisfies } from '../../../permissions/algebra.ts'
import { siteNaming } from '../../../permissions/principals.ts'
import { createEgress } from '../../egress/guard.ts'

const { signal } = new AbortController()
let spaces = 0

describe('pages below folders whose restrictions the wiki does not return', () => {
  let wiki: Wiki
  const egress = createEgress({ publicOnly: false })
  const open = (space: string, more: object = {}, account: 'crawler' | 'member' = 'crawler') =>
    openSource({ wiki, deployment, egress }, { spaces: [space], ...more }, account)
  before(async () => {
    wiki = await startWiki({ seed: 21, spaces: 2, pages: 40, people: 10, groups: 4 })
    await wiki.control.set({ folderRestrictionsHidden: true })
  })
  after(async () => {
    await egress.close()
    await wiki.stop()
  })

  /** Two people, and a group with each of them and a third. */
  async function cast() {
    const id = `g${++spaces}`
    const truth = await wiki.control.truth()
    const people = truth.people.filter((one) => one.active && one.licensed && one.accountType === 'atlassian')
    const [ann, ben, cem] = people.map(({ accountId }) => accountId) as [string, string, string]
    await wiki.control.addGroup({ id, name: id, members: [ann, ben] })
    return { ann, ben, cem, group: id }
  }
  type Kind = 'folder' | 'whiteboard' | 'database'
  /** A page below a restricted folder, and one below an open folder. */
  async function tree(space: string, read: { users: string[]; groups: string[] }, kind: Kind = 'folder') {
    const folder = await wiki.control.createPage({ space, title: 'Closed', kind })
    await wiki.control.restrict(folder, { read })
    const page = await wiki.control.createPage({ space, title: 'below', parentId: folder })
    const openFolder = await wiki.control.createPage({ space, title: 'Open', kind })
    const openPage = await wiki.control.createPage({ space, title: 'below', parentId: openFolder })
    return { folder, page, openFolder, openPage }
  }
  const newSpace = (...readers: Parameters<typeof addSpace>[2] & object) =>
    addSpace(wiki, `ANC${++spaces}`, readers)

  for (const kind of ['folder', 'whiteboard', 'database'] as const)
    test(`are found only by people who pass a restricted ${kind}`, async () => {
      const { ann, cem, group } = await cast()
      const space = await newSpace({ type: 'group', id: group }, { type: 'user', id: cem })
      const { folder, page, openPage } = await tree(space, { users: [ann, cem], groups: [] }, kind)
      const source = open(space)
      const { refs, warnings } = await listAll(source)
      assert.deepEqual(await wrongReaders({ wiki, deployment }, source, refs), [])
      assert.deepEqual(warnings, [])
      const levelsBelowSpace = (id: string) => pageOf(refs, id).access.levels?.slice(1)
      assert.deepEqual(levelsBelowSpace(page), [{ kind, id: folder, title: 'Closed' }])
      assert.deepEqual(levelsBelowSpace(openPage), [])
    })

  test('are found correctly with a class, visitors or a restricted page above', async () => {
    const { ann, ben, group } = await cast()
    for (const readers of [[everyone], [everyone, { type: 'group', id: group } as const], [visitors]]) {
      const space = await newSpace(...readers)
      const { folder } = await tree(space, { users: [], groups: [group] })
      const inner = await wiki.control.createPage({ space, title: 'inner', kind: 'folder', parentId: folder })
      await wiki.control.restrict(inner, { read: { users: [ann], groups: [] } })
      await wiki.control.createPage({ space, title: 'twice', parentId: inner })
      const closed = await wiki.control.createPage({ space, title: 'closed', parentId: folder })
      await wiki.control.restrict(closed, { read: { users: [ben], groups: [] } })
      const source = open(space)
      const { refs, warnings } = await listAll(source)
      assert.deepEqual(await wrongReaders({ wiki, deployment }, source, refs), [], JSON.stringify(readers))
      // A restriction may name people without a group, and these cannot all be checked.
      const isWide = readers.some((reader) => reader === visitors)
      assert.deepEqual(
        warnings.map(({ code }) => code),
        isWide ? ['permissions_unproved'] : [],
      )
    }
  })

  test('are found only by people who pass if the members of a group cannot be read', async () => {
    const [wide, narrow] = [await cast(), await cast()]
    const space = await newSpace({ type: 'group', id: wide.group })
    const folder = await wiki.control.createPage({ space, title: 'Closed', kind: 'folder' })
    await wiki.control.restrict(folder, { read: { users: [wide.ann], groups: [] } })
    const page = await wiki.control.createPage({ space, title: 'below', parentId: folder })
    await wiki.control.restrict(page, { read: { users: [], groups: [narrow.group] } })
    const path = `/group/${wide.group}/membersByGroupId`
    await wiki.control.fail({ status: 403, body: {}, path, times: null })
    const source = open(space)
    const { refs } = await listAll(source).finally(() => wiki.control.clearFaults())
    const wrong = await wrongReaders({ wiki, deployment }, source, refs)
    // The flat list needs the members, and without them grants less.
    const exceptFlat = wrong.filter((line) => !line.endsWith('true: flat'))
    assert.deepEqual(exceptFlat, [])
  })

  test('are hidden by default if the account may not check, and the job warns', async () => {
    const { ann, group } = await cast()
    const space = await newSpace({ type: 'group', id: group })
    const { page, openPage, folder, openFolder } = await tree(space, { users: [ann], groups: [] })
    await wiki.control.setAccount('crawler', { mayCheck: false })
    try {
      await wiki.control.resetCounts()
      const { refs, warnings } = await listAll(open(space))
      assert.equal(await permissionChecks(wiki), 2, 'one question shows that there are no answers')
      for (const id of [page, openPage])
        assert.deepEqual(pageOf(refs, id).access.permissions[0].read, { users: [], groups: [] })
      const hidden = warnings.find(({ code }) => code === 'ancestors_assumed')
      assert.equal(hidden?.documents, 2)
      for (const part of [folder, openFolder, 'hide', 'administrator'])
        assert.match(hidden.message, new RegExp(part))

      const opened = await listAll(open(space, { unproved_ancestors: 'open' }))
      for (const id of [page, openPage])
        assert.deepEqual(pageOf(opened.refs, id).access.permissions[0].read, { users: [], groups: [group] })
      const assumed = opened.warnings.find(({ code }) => code === 'ancestors_assumed')
      assert.equal(assumed?.documents, 2)
      assert.match(assumed.message, /not restricted/)
    } finally {
      await wiki.control.setAccount('crawler', { mayCheck: true })
    }
  })

  test('are explained by the same levels as they are listed with', async () => {
    const { ann, ben, group } = await cast()
    const space = await newSpace({ type: 'group', id: group })
    const { page, openPage, folder } = await tree(space, { users: [ann], groups: [] })
    const source = open(space)
    const { refs } = await listAll(source)
    const directory = {
      naming: siteNaming('wiki', 'global'),
      members: () => new Set([ann, ben]),
      inClass: () => false,
      isIgnored: () => false,
    }
    for (const id of [page, openPage]) {
      const ref = pageOf(refs, id)
      const levels = await source.levels!(ref, signal)
      for (const user of [ann, ben]) {
        const passes = levels.every((level) => {
          assert.ok('who' in level, JSON.stringify(level))
          return level.who === null || satisfies(level.who, user, directory)
        })
        const groups = [group]
        assert.equal(
          passes,
          matches(ref.access.clauses, {
            account: 'known' as const,
            accountId: user,
            user,
            groups,
            classes: [],
            naming: directory.naming,
          } as never),
          id,
        )
      }
      if (id === page) assert.ok(levels.some((level) => level.id === folder && 'who' in level && level.who))
    }
  })
})
