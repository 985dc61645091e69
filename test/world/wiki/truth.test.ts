import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startWiki, type Wiki } from './start.ts'

/** Each case is built by hand, and every expected answer is written out. */
describe('permissions of the simulated wiki', () => {
  let wiki: Wiki
  const read = { key: 'read', targetType: 'space' }
  const [ann, ben, cai, dee, bot, guest] = ['ann', 'ben', 'cai', 'dee', 'bot', 'customer'].map(
    (name) => `557058:${name}`,
  ) as [string, string, string, string, string, string]

  before(async () => {
    wiki = await startWiki({ seed: 11, pages: 40 })
    const { control } = wiki
    for (const accountId of [ann, ben, cai, dee]) await control.addPerson({ accountId, name: accountId })
    await control.addPerson({ accountId: bot, name: 'Bot', accountType: 'app' })
    await control.addPerson({ accountId: guest, name: 'Customer', accountType: 'customer' })
    await control.addGroup({ id: 'g-one', name: 'one', members: [ann, ben] })
    await control.addGroup({ id: 'g-two', name: 'two', members: [ben, cai] })
    await control.addSpace({
      key: 'T',
      name: 'Truth',
      permissions: [
        { principal: { type: 'group', id: 'g-one' }, operation: read },
        { principal: { type: 'user', id: cai }, operation: { key: 'administer', targetType: 'space' } },
        { principal: { type: 'user', id: bot }, operation: read },
      ],
    })
  })
  after(() => wiki.stop())

  const page = (title: string, parentId?: string) =>
    wiki.control.createPage({ space: 'T', title, ...(parentId === undefined ? {} : { parentId }) })
  const readers = async (id: string): Promise<string[]> => {
    const asked = [ann, ben, cai, dee, bot, guest]
    const answers = await Promise.all(asked.map((person) => wiki.control.canRead(person, id)))
    return asked.filter((_, at) => answers[at])
  }

  test('it admits readers and administrators of the space to an unrestricted page', async () => {
    assert.deepEqual(await readers(await page('space only')), [ann, ben, cai, bot])
  })

  test('it applies a page’s own restriction, which never widens the space', async () => {
    const id = await page('own')
    await wiki.control.restrict(id, { read: { users: [ann, dee] } })
    assert.deepEqual(await readers(id), [ann])
    await wiki.control.restrict(id, { read: { groups: ['g-two'] } })
    assert.deepEqual(await readers(id), [ben, cai])
  })

  test('it applies an ancestor’s restriction below unrestricted pages', async () => {
    const top = await page('top')
    await wiki.control.restrict(top, { read: { groups: ['g-one'] } })
    const below = await page('below', await page('between', top))
    assert.deepEqual(await readers(below), [ann, ben])
  })

  test('it admits a named user only within the group of an ancestor', async () => {
    const top = await page('top of one')
    await wiki.control.restrict(top, { read: { groups: ['g-one'] } })
    const id = await page('for ben', top)
    await wiki.control.restrict(id, { read: { users: [ben, cai] } })
    assert.deepEqual(await readers(id), [ben])
  })

  test('it applies both restrictions', async () => {
    const top = await page('top of both')
    await wiki.control.restrict(top, { read: { groups: ['g-one'] } })
    const id = await page('two in one', top)
    await wiki.control.restrict(id, { read: { groups: ['g-two'] } })
    assert.deepEqual(await readers(id), [ben])
    await wiki.control.removeMember('two', ben)
    assert.deepEqual(await readers(id), [])
    await wiki.control.addMember('two', ben)
  })

  test('it restricts a page to an app account', async () => {
    const id = await page('for the app')
    await wiki.control.restrict(id, { read: { users: [bot] } })
    assert.deepEqual(await readers(id), [bot])
  })

  test('it counts folders as ancestors', async () => {
    const folder = await wiki.control.createPage({ space: 'T', title: 'folder', kind: 'folder' })
    const id = await page('in the folder', folder)
    await wiki.control.restrict(folder, { read: { users: [ann] } })
    assert.deepEqual(await readers(id), [ann])
  })

  test('it treats roles like rows: licensed people, no apps or customers', async () => {
    const licensed = {
      principal: { type: 'access-class' as const, id: 'all-licensed-users' },
      operation: read,
    }
    const { homepageId } = await wiki.control.addSpace({ key: 'R', name: 'Roles', permissions: [licensed] })
    await wiki.control.setSpaceUsesRoles('R', true)
    for (const roleMode of ['ROLES_TRANSITION', 'ROLES', 'PRE_ROLES'] as const) {
      await wiki.control.set({ roleMode })
      assert.deepEqual(await readers(homepageId), [ann, ben, cai, dee])
    }
    await wiki.control.setSpacePermissions('R', [
      { ...licensed, principal: { type: 'access-class', id: 'anonymous-users' } },
    ])
    assert.deepEqual(await readers(homepageId), [ann, ben, cai, dee, bot, guest])
  })

  test('it gives a deleted group no members', async () => {
    const id = await page('for a lost group')
    await wiki.control.addGroup({ id: 'g-lost', name: 'lost', members: [ann] })
    await wiki.control.restrict(id, { read: { groups: ['g-lost'] } })
    assert.deepEqual(await readers(id), [ann])
    await wiki.control.deleteGroup('lost')
    assert.deepEqual(await readers(id), [])
  })

  test('it applies an update restriction to editors, not to readers', async () => {
    const id = await page('for editors')
    await wiki.control.restrict(id, { update: { users: [ann] } })
    assert.deepEqual(await readers(id), [ann, ben, cai, bot])
    assert.equal(await wiki.control.canUpdate(ann, id), false)
    assert.equal(await wiki.control.canUpdate(cai, id), false)
    await wiki.control.restrict(id, { update: { users: [cai] } })
    assert.equal(await wiki.control.canUpdate(cai, id), true)
  })

  test('it generates every kind of permission', async () => {
    const { shapes } = await wiki.control.truth()
    const all = await wiki.control.readers()
    const names = [
      'spaceOnly',
      'ownRestriction',
      'ancestorOnly',
      'ownInsideAncestorGroup',
      'bothDifferent',
      'appOnly',
      'underFolder',
      'rbacSpace',
    ]
    for (const name of names) assert.ok(Array.isArray(all[shapes[name] ?? '']), name)
    assert.ok((all[shapes.spaceOnly ?? '']?.length ?? 0) > (all[shapes.ancestorOnly ?? '']?.length ?? 0))
    assert.deepEqual(all[shapes.appOnly ?? ''], [])
  })
})
