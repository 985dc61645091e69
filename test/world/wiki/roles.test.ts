import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { requestCloud } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'

interface Role {
  id: string
  name: string
  spacePermissions: string[]
}

describe('roles of the simulated Cloud site', () => {
  let wiki: Wiki
  let get: ReturnType<typeof requestCloud>
  let spaceId: string

  before(async () => {
    wiki = await startWiki({ seed: 6, pages: 30 })
    get = requestCloud(wiki.cloudUrl)
    spaceId = (await wiki.control.truth()).spaces.find(({ usesRoles }) => usesRoles)?.id ?? ''
  })
  after(() => wiki.stop())

  test('it lists permissions of roles with opaque ids and names, which roles refer to', async () => {
    const { json } = await get('/api/v2/space-permissions')
    const [view, ...others] = json.results
    assert.deepEqual(
      [view.id, view.displayName, view.requiredPermissionIds],
      ['VIEW_CONTENT', 'View content', []],
    )
    for (const each of others) {
      assert.match(each.id, /^[A-Z_]+$/)
      assert.deepEqual(each.requiredPermissionIds, ['VIEW_CONTENT'])
    }
    const known = json.results.map(({ id }: { id: string }) => id)
    const roles: Role[] = (await get('/api/v2/space-roles')).json.results
    assert.deepEqual(
      roles.slice(0, 3).map(({ name }) => name),
      ['Viewer', 'Collaborator', 'Manager'],
    )
    for (const { spacePermissions } of roles)
      assert.deepEqual(
        spacePermissions.filter((id) => !known.includes(id)),
        [],
      )
  })

  test('it pages the permissions of roles', async () => {
    const all = (await get('/api/v2/space-permissions')).json.results
    const first = await get('/api/v2/space-permissions?limit=10')
    const second = await get(first.json._links.next.replace(/^\/wiki/, ''))
    assert.deepEqual([...first.json.results, ...second.json.results], all)
  })

  test('it can spell them like the operations of rows', async () => {
    await wiki.control.set({ roleSpelling: 'read/space' })
    assert.equal((await get('/api/v2/space-permissions')).json.results[0].id, 'read/space')
    const [viewer] = (await get('/api/v2/space-roles')).json.results
    assert.deepEqual(viewer.spacePermissions, ['read/space'])
    await wiki.control.set({ roleSpelling: 'VIEW_CONTENT' })
  })

  test('it names the operations of each role in the rows of the space, unless configured otherwise', async () => {
    const rows = async () => (await get(`/api/v2/spaces/${spaceId}/permissions?limit=250`)).json.results
    const [first] = await rows()
    assert.deepEqual(
      [first.principal, first.operation],
      [
        { type: 'role', id: 'r-viewer' },
        { key: 'read', targetType: 'space' },
      ],
    )
    await wiki.control.set({ roleRows: false })
    assert.deepEqual(await rows(), [])
    assert.ok((await get(`/api/v2/spaces/${spaceId}/role-assignments`)).json.results.length > 0)
    await wiki.control.set({ roleRows: true })
  })

  test('it answers 404 on the role mode to an account that may not see it', async () => {
    await wiki.control.setAccount('crawler', { hiddenRoleMode: true })
    assert.equal((await get('/api/v2/space-role-mode')).status, 404)
    assert.equal((await get('/api/v2/space-roles')).status, 200)
    assert.equal((await get('/api/v2/space-role-mode', 'limited')).json.mode, 'ROLES_TRANSITION')
    await wiki.control.setAccount('crawler', { hiddenRoleMode: false })
  })
})
