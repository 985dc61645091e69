import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { accounts } from './accounts.ts'
import { basic, bearer, cqlPath, fetchReply, type Reply, requestCloud, requestDataCenter } from './ask.ts'
import { fault } from './faults.ts'
import { startWiki, type Wiki } from './start.ts'

const { crawler } = accounts
const REASON = 'x-seraph-loginreason'

describe('expired and wrong credentials at the simulated wiki', () => {
  let wiki: Wiki
  let open: { id: string; homepageId: string }
  let closed: { id: string; homepageId: string }

  before(async () => {
    wiki = await startWiki({ seed: 2, pages: 30, spaces: 2 })
    const operation = { key: 'read', targetType: 'space' }
    const rows = (id: string) => [{ principal: { type: 'access-class' as const, id }, operation }]
    open = await wiki.control.addSpace({ key: 'OPEN', name: 'Open', permissions: rows('anonymous-users') })
    closed = await wiki.control.addSpace({
      key: 'SHUT',
      name: 'Shut',
      permissions: rows('all-licensed-users'),
    })
  })
  after(() => wiki.stop())
  afterEach(async () => {
    await wiki.control.clearFaults()
    await wiki.control.setAccount('crawler', { expired: false })
    await wiki.control.set({ cloudVisitors: true, dcVisitors: true })
  })

  const keys = ({ json }: Reply): string[] => json.results.map(({ key }: { key: string }) => key)
  const ids = ({ json }: Reply): string[] => json.results.map(({ id }: { id: string }) => id)
  const reason = ({ headers }: Reply): string | null => headers.get(REASON)
  const cloud = (path: string) => requestCloud(wiki.cloudUrl)(path)
  const dc = (path: string) => requestDataCenter(wiki.dataCenterUrl)(path)

  test('it names the result of a sign-in in a header, and nothing for visitors', async () => {
    assert.equal(reason(await cloud('/api/v2/spaces?limit=1')), 'OK')
    assert.equal(reason(await dc('/rest/api/space?limit=1')), 'OK')
    assert.equal(reason(await fetchReply(`${wiki.cloudUrl}/api/v2/spaces?limit=1`)), null)
    assert.equal(reason(await fetchReply(`${wiki.dataCenterUrl}/rest/api/space?limit=1`)), null)
  })

  test('it shows an expired account of the Cloud only what visitors see', async () => {
    assert.deepEqual(ids(await cloud(cqlPath('type = page and space in (OPEN, SHUT)'))), [
      open.homepageId,
      closed.homepageId,
    ])
    await wiki.control.setAccount('crawler', { expired: true })
    const spaces = await cloud('/api/v2/spaces')
    assert.deepEqual([spaces.status, keys(spaces), reason(spaces)], [200, ['OPEN'], 'AUTHENTICATED_FAILED'])
    const found = await cloud(cqlPath('type = page'))
    assert.deepEqual([ids(found), reason(found)], [[open.homepageId], 'AUTHENTICATED_FAILED'])
    assert.deepEqual(ids(await cloud('/api/v2/pages?limit=250')), [open.homepageId])
    assert.equal((await cloud(`/api/v2/pages/${closed.homepageId}`)).status, 404)
    for (const path of [
      '/rest/api/group',
      '/rest/api/user/current',
      `/api/v2/spaces/${open.id}/permissions`,
    ]) {
      const refused = await cloud(path)
      assert.deepEqual([refused.status, reason(refused)], [401, 'AUTHENTICATED_FAILED'], path)
    }
  })

  test('it shows an expired account of Data Center only what visitors see', async () => {
    await wiki.control.setAccount('crawler', { expired: true })
    const spaces = await dc('/rest/api/space')
    assert.deepEqual([spaces.status, keys(spaces), reason(spaces)], [200, ['OPEN'], 'AUTHENTICATED_FAILED'])
    for (const path of [
      '/rest/api/content/scan?limit=500',
      '/rest/api/content?limit=500',
      cqlPath('type = page'),
    ])
      assert.deepEqual(ids(await dc(path)), [open.homepageId], path)
    assert.equal((await dc('/rest/api/content/scan?spaceKey=SHUT')).status, 404)
    const refused = await dc('/rest/api/user/current')
    assert.deepEqual([refused.status, reason(refused)], [401, 'AUTHENTICATED_FAILED'])
  })

  test('it serves visitors the files of open pages only', async () => {
    const plain = { title: 'a.txt', mediaType: 'text/plain', base64: 'YQ==' }
    const wrong = { headers: bearer('wrong') }
    for (const [page, status] of [
      [open.homepageId, 200],
      [closed.homepageId, 302],
    ] as const) {
      await wiki.control.attach(page, plain)
      const url = `${wiki.dataCenterUrl}/download/attachments/${page}/a.txt`
      assert.deepEqual(
        [(await fetchReply(url, wrong)).status, (await fetchReply(url)).status],
        [status, status],
      )
    }
  })

  test('it treats wrong credentials like expired ones', async () => {
    for (const headers of [
      basic(crawler.email, 'wrong'),
      basic('nobody@acme.example', 'x'),
      bearer('wrong'),
    ]) {
      const reply = await fetchReply(`${wiki.cloudUrl}/api/v2/spaces`, { headers })
      assert.deepEqual([keys(reply), reason(reply)], [['OPEN'], 'AUTHENTICATED_FAILED'])
    }
    for (const headers of [basic(crawler.username, 'wrong'), bearer('wrong')]) {
      const reply = await fetchReply(`${wiki.dataCenterUrl}/rest/api/space`, { headers })
      assert.deepEqual([keys(reply), reason(reply)], [['OPEN'], 'AUTHENTICATED_FAILED'])
    }
  })

  test('it answers 401 where no visitors are admitted, and always at the gateway', async () => {
    await wiki.control.setAccount('crawler', { expired: true })
    for (const headers of [basic(crawler.email, crawler.scopedToken), bearer(crawler.bearer)])
      assert.equal((await fetchReply(`${wiki.gatewayUrl}/wiki/api/v2/spaces`, { headers })).status, 401)
    await wiki.control.set({ cloudVisitors: false, dcVisitors: false })
    for (const reply of [await cloud('/api/v2/spaces'), await dc('/rest/api/space')])
      assert.deepEqual([reply.status, reason(reply)], [401, 'AUTHENTICATED_FAILED'])
  })

  test('it expires a token after a number of requests, or at a path', async () => {
    await wiki.control.fail({ ...fault.expired('crawler'), after: 2 })
    const seen = []
    for (let at = 0; at < 4; at++) seen.push(reason(await cloud('/api/v2/spaces?limit=1')))
    assert.deepEqual(seen, ['OK', 'OK', 'AUTHENTICATED_FAILED', 'AUTHENTICATED_FAILED'])
    await wiki.control.setAccount('crawler', { expired: false })
    await wiki.control.fail({ ...fault.expired('crawler'), path: 'content/scan', site: 'dataCenter' })
    assert.equal(reason(await dc('/rest/api/space')), 'OK')
    assert.equal(reason(await dc('/rest/api/content/scan')), 'AUTHENTICATED_FAILED')
    assert.equal(reason(await dc('/rest/api/space')), 'AUTHENTICATED_FAILED')
    assert.equal(reason(await cloud('/api/v2/spaces')), 'AUTHENTICATED_FAILED')
  })
})
