import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts } from './accounts.ts'
import { basic, bearer, cqlPath, fetchReply, requestCloud } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'

describe('signing in to the simulated Cloud site', () => {
  let wiki: Wiki
  let get: ReturnType<typeof requestCloud>
  let truth: Awaited<ReturnType<Wiki['control']['truth']>>
  const { crawler } = accounts

  before(async () => {
    wiki = await startWiki({ seed: 8, pages: 60 })
    get = requestCloud(wiki.cloudUrl)
    truth = await wiki.control.truth()
  })
  after(() => wiki.stop())

  const eng = () => truth.spaces.find(({ key }) => key === 'ENG')?.id

  test('it accepts the address with a classic token at the site', async () => {
    const reply = await get('/api/v2/spaces')
    assert.equal(reply.status, 200)
    assert.ok(reply.headers.get('atl-request-id'))
    assert.ok(reply.headers.get('atl-traceid'))
  })

  test('it answers 401 with a challenge, in the shape of each API, without or with wrong credentials', async () => {
    await wiki.control.set({ cloudVisitors: false })
    for (const headers of [
      {},
      basic(crawler.email, 'wrong'),
      basic('nobody@acme.example', crawler.apiToken),
      bearer(crawler.bearer),
      bearer(crawler.pat),
    ]) {
      const v2 = await fetchReply(`${wiki.cloudUrl}/api/v2/spaces`, { headers })
      assert.equal(v2.status, 401)
      assert.match(v2.headers.get('www-authenticate') ?? '', /^OAuth realm=/)
      assert.equal(v2.json.errors[0].code, 'UNAUTHORIZED')
      const v1 = await fetchReply(`${wiki.cloudUrl}/rest/api/user/current`, { headers })
      assert.deepEqual([v1.status, v1.json.statusCode, v1.json.data.authorized], [401, 401, false])
    }
    await wiki.control.set({ cloudVisitors: true })
  })

  test('it accepts scoped and service tokens only at the gateway', async () => {
    const tenant = await fetchReply(`${wiki.siteUrl}/_edge/tenant_info`)
    assert.deepEqual(tenant.json, { cloudId: wiki.cloudId })
    const scoped = basic(crawler.email, crawler.scopedToken)
    const site = await fetchReply(`${wiki.cloudUrl}/api/v2/spaces`, { headers: scoped })
    assert.deepEqual([site.status, site.json], [401, undefined])
    const gateway = `${wiki.siteUrl}/ex/confluence/${wiki.cloudId}/wiki`
    assert.equal(wiki.gatewayUrl, gateway.replace(/\/wiki$/, ''))
    for (const headers of [scoped, bearer(crawler.bearer)]) {
      const reply = await fetchReply(`${gateway}/api/v2/pages?limit=2`, { headers })
      assert.equal(reply.status, 200)
      // Relative to the site, so that behind the gateway its prefix has to go before it.
      assert.match(reply.json._links.next, /^\/wiki\/api\/v2\/pages/)
      assert.equal((await fetchReply(`${wiki.gatewayUrl}${reply.json._links.next}`, { headers })).status, 200)
      assert.equal((await fetchReply(`${gateway}${cqlPath('type=page')}`, { headers })).status, 200)
    }
    const classic = await fetchReply(`${gateway}/api/v2/spaces`, {
      headers: basic(crawler.email, crawler.apiToken),
    })
    assert.deepEqual([classic.status, classic.json.code], [401, 401])
    const other = gateway.replace(wiki.cloudId, '00000000-0000-4000-8000-000000000000')
    assert.equal((await fetchReply(`${other}/api/v2/spaces`, { headers: scoped })).status, 404)
  })

  test('it refuses requests at the gateway that the scopes do not cover', async () => {
    await wiki.control.setAccount('crawler', { scopes: ['read:space:confluence', 'read:page'] })
    const headers = basic(crawler.email, crawler.scopedToken)
    const at = (path: string) => fetchReply(`${wiki.gatewayUrl}/wiki${path}`, { headers })
    assert.equal((await at('/api/v2/spaces')).status, 200)
    assert.equal((await at('/api/v2/pages')).status, 200)
    const refused = await at(cqlPath('type=page'))
    assert.deepEqual(
      [refused.status, refused.json],
      [401, { code: 401, message: 'Unauthorized; scope does not match' }],
    )
    await wiki.control.setAccount('crawler', { scopes: null })
  })

  test('it hides one space from the limited account, as if it did not exist', async () => {
    const hidden = truth.spaces.find(({ key }) => key === 'HR')
    const keys = (await get('/api/v2/spaces', 'limited')).json.results.map(({ key }: { key: string }) => key)
    assert.ok(!keys.includes('HR') && keys.includes('ENG'))
    assert.equal((await get(`/api/v2/spaces/${hidden?.id}`, 'limited')).status, 404)
    assert.equal((await get(`/api/v2/pages/${hidden?.homepageId}`, 'limited')).status, 404)
    assert.equal(
      (await get(`/rest/api/content/${hidden?.homepageId}/restriction/byOperation`, 'limited')).status,
      404,
    )
    assert.equal((await get(cqlPath('space=HR'), 'limited')).json.size, 0)
  })

  test('it answers 403 to the powerless account on restrictions, space permissions and group members', async () => {
    const home = truth.spaces[0]?.homepageId
    const v1 = await get(`/rest/api/content/${home}/restriction/byOperation`, 'powerless')
    assert.deepEqual(
      [v1.status, v1.json.statusCode, v1.json.data.authorized, v1.json.data.successful],
      [403, 403, false, false],
    )
    const v2 = await get(`/api/v2/spaces/${eng()}/permissions`, 'powerless')
    assert.deepEqual([v2.status, v2.json.errors[0].code], [403, 'FORBIDDEN'])
    assert.equal((await get(`/api/v2/spaces/${eng()}/role-assignments`, 'powerless')).status, 403)
    assert.equal(
      (await get(`/rest/api/group/${truth.groups[0]?.id}/membersByGroupId`, 'powerless')).status,
      403,
    )
    const [item] = (
      await get(cqlPath(`id=${home}`, '&expand=restrictions.read.restrictions.user'), 'powerless')
    ).json.results
    assert.equal(item.restrictions, undefined)
  })

  test('it shows an ordinary member exactly what the member can read', async () => {
    const member = truth.people.find(({ username }) => username === 'member')?.accountId ?? ''
    const shown = (await get('/api/v2/pages?limit=250&status=current', 'member')).json.results.map(
      ({ id }: { id: string }) => id,
    )
    const readers = await wiki.control.readers()
    const expected = truth.pages.filter(
      (page) => page.kind === 'page' && page.status === 'current' && readers[page.id]?.includes(member),
    )
    assert.deepEqual(
      shown,
      expected.map(({ id }) => id),
    )
    assert.ok(shown.length > 0 && shown.length < 60)
    assert.equal((await get(`/api/v2/pages/${truth.shapes.appOnly}`, 'member')).status, 404)
  })

  test('it opens restricted pages to an administrator with an active key, but not to CQL', async () => {
    const path = `/api/v2/pages/${truth.shapes.appOnly}`
    const keyed = { headers: { 'atl-confluence-with-admin-key': 'true' } }
    assert.equal((await get(path, 'admin', keyed)).status, 404)
    assert.equal((await get('/api/v2/admin-key', 'member', { method: 'POST', body: '{}' })).status, 403)
    assert.equal(
      (await get('/api/v2/admin-key', 'admin', { method: 'POST', body: '{"durationInMinutes":60}' })).status,
      200,
    )
    assert.equal((await get(path, 'admin', keyed)).status, 200)
    assert.equal((await get(path, 'admin')).status, 404)
    assert.equal((await get(cqlPath(`id=${truth.shapes.appOnly}`), 'admin', keyed)).json.size, 0)
  })

  test('it redirects a download to the media host, which needs no credentials', async () => {
    const file = truth.attachments.find(({ broken }) => broken === 'no')
    const path = `/rest/api/content/${file?.pageId}/child/attachment/${file?.id}/download`
    const reply = await get(path)
    assert.equal(reply.status, 302)
    const location = reply.headers.get('location') ?? ''
    assert.ok(location.startsWith(`${wiki.mediaUrl}/file/${file?.fileId}/binary?token=`))
    const bytes = await fetch(location)
    assert.equal(bytes.headers.get('content-type'), file?.mediaType)
    assert.equal((await bytes.arrayBuffer()).byteLength, file?.size)
    const forwarded = await fetchReply(location, { headers: basic(crawler.email, crawler.apiToken) })
    assert.equal(forwarded.status, 403)
    assert.equal((await fetchReply(location.replace(/token=[^&]+/, 'token=wrong'))).status, 403)
    const missing = await wiki.control.attach(file?.pageId ?? '', {
      title: 'lost.pdf',
      mediaType: 'application/pdf',
      base64: '',
      broken: 'missing',
    })
    const lost = await get(`/rest/api/content/${file?.pageId}/child/attachment/${missing}/download`)
    assert.equal((await fetchReply(lost.headers.get('location') ?? '')).status, 404)
  })

  test('it answers 401 to tokens on the legacy download paths, and HTML 404 outside its APIs', async () => {
    const file = truth.attachments[0]
    assert.equal((await get(`/download/attachments/${file?.pageId}/x.png`)).status, 401)
    assert.equal((await get(`/download/thumbnails/${file?.pageId}/x.png`)).status, 401)
    const outside = await fetchReply(`${wiki.siteUrl}/rest/api/content/search?cql=type=page`, {
      headers: basic(crawler.email, crawler.apiToken),
    })
    assert.deepEqual([outside.status, outside.json], [404, undefined])
    assert.equal((await get('/api/v2/nonsense')).json.errors[0].status, 404)
  })
})
