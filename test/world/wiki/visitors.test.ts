import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fetchReply } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'

describe('visitors of the simulated Cloud site', () => {
  let wiki: Wiki
  let open: { id: string; homepageId: string }
  let closed: { id: string; homepageId: string }

  before(async () => {
    wiki = await startWiki({ seed: 2, pages: 30 })
    const operation = { key: 'read', targetType: 'space' }
    const rows = (id: string) => [{ principal: { type: 'access-class' as const, id }, operation }]
    open = await wiki.control.addSpace({
      key: 'OPEN',
      name: 'Open',
      permissions: rows('anonymous-users'),
    })
    closed = await wiki.control.addSpace({
      key: 'SHUT',
      name: 'Shut',
      permissions: rows('all-licensed-users'),
    })
  })
  after(() => wiki.stop())

  const get = (path: string) => fetchReply(`${wiki.cloudUrl}${path}`)

  test('it shows visitors only spaces with an anonymous row', async () => {
    const table: [string, number][] = [
      [`/api/v2/spaces/${open.id}`, 200],
      [`/api/v2/spaces/${closed.id}`, 404],
      [`/api/v2/pages/${open.homepageId}`, 200],
      [`/api/v2/pages/${closed.homepageId}`, 404],
      [`/api/v2/spaces/${open.id}/permissions`, 401],
      ['/api/v2/space-role-mode', 401],
      ['/rest/api/group', 401],
      ['/rest/api/user/current', 401],
      ['/rest/api/space/OPEN', 410],
    ]
    for (const [path, status] of table) assert.equal((await get(path)).status, status, path)
    const { json } = await get('/api/v2/spaces?keys=OPEN,SHUT')
    assert.deepEqual(
      json.results.map(({ key }: { key: string }) => key),
      ['OPEN'],
    )
  })

  test('it serves the v1 space endpoint only if configured', async () => {
    await wiki.control.set({ removedV1: 'served' })
    assert.equal((await get('/rest/api/space/OPEN')).json.key, 'OPEN')
    assert.equal((await get('/rest/api/space/SHUT')).status, 404)
    await wiki.control.set({ removedV1: 'gone' })
  })

  test('it answers 401 if the site admits no visitors, and always at the gateway', async () => {
    const gateway = `${wiki.gatewayUrl}/wiki/api/v2/spaces/${open.id}`
    assert.equal((await fetchReply(gateway)).status, 401)
    await wiki.control.set({ cloudVisitors: false })
    for (const path of ['/api/v2/spaces?keys=OPEN', `/api/v2/spaces/${open.id}`, '/rest/api/space/OPEN'])
      assert.equal((await get(path)).status, 401, path)
    await wiki.control.set({ cloudVisitors: true })
  })
})
