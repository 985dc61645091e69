import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sourcesOn } from '../../../test/world/sites.ts'
import { startWiki, type Wiki } from '../../../test/world/wiki/start.ts'
import { dataCenter as deployment, listAll, readAll } from '../../../test/world/wiki-source.ts'
import { crawler } from '../../../test/world/world.ts'

/** The kind of wiki at an address is detected, whatever the settings say. */

const { signal } = new AbortController()
const open = sourcesOn(deployment)

describe('a Data Center wiki under another path', () => {
  for (const dcContext of ['/wiki', '', '/teams/wiki']) {
    test(`is read at "${dcContext}", whatever the cloud setting is`, async () => {
      const wiki = await startWiki({
        seed: 8,
        spaces: 2,
        pages: 20,
        people: 6,
        groups: 3,
        settings: { dcContext },
      })
      try {
        const { username, password } = crawler
        const name = `${new URL(wiki.dataCenterUrl).host}${dcContext}`
        for (const cloud of [false, true]) {
          const { refs } = await listAll(open(wiki, { token: undefined, username, password, cloud }))
          assert.equal(refs.length, 20)
          for (const { recordId, url, locator } of refs) {
            assert.equal(recordId, `${name}/${locator.page_id}`)
            assert.ok(url.startsWith(`http://${name}/pages/`))
          }
        }
      } finally {
        await wiki.stop()
      }
    })
  }
})

describe('a Cloud site with other settings than usual', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 6, spaces: 2, pages: 40, people: 6, groups: 3 })
  })
  after(() => wiki.stop())
  const token = { username: crawler.email, token: crawler.apiToken }

  test('is found with cloud false, by its address with or without /wiki', async () => {
    const usual = await listAll(open(wiki, { url: wiki.siteUrl, ...token, cloud: true }))
    assert.equal(usual.refs.length, 40)
    for (const url of [wiki.siteUrl, wiki.cloudUrl]) {
      const { refs } = await listAll(open(wiki, { url, ...token, cloud: false }))
      assert.deepEqual(refs, usual.refs)
    }
  })

  test('is read through the gateway with a scoped token, under the same record ids', async () => {
    const usual = await listAll(open(wiki, { url: wiki.siteUrl, ...token, cloud: true }))
    for (const signIn of [
      { username: crawler.email, token: crawler.scopedToken, cloud: true },
      { username: crawler.email, token: crawler.scopedToken, cloud: false },
      { token: crawler.bearer, cloud: false },
    ]) {
      const source = open(wiki, { url: wiki.siteUrl, ...signIn })
      const { refs } = await listAll(source)
      assert.deepEqual(refs, usual.refs)
      assert.equal((await readAll(source, refs)).documents.size, 40)
    }
  })

  test('sends credentials to the gateway only after the site has published its id', async () => {
    const scoped = { url: wiki.siteUrl, username: crawler.email, token: crawler.scopedToken, cloud: true }
    await wiki.control.resetCounts()
    await open(wiki, scoped).people.groupsOf('nobody', signal)
    const requests = await wiki.control.requests()
    const tenant = requests.findIndex(({ url }) => url === '/_edge/tenant_info')
    assert.ok(tenant >= 0 && tenant < requests.findIndex(({ url }) => url.startsWith('/ex/')))
    assert.equal(requests[tenant]!.authorized, false)

    for (const body of ['not found', { cloudId: '../../elsewhere' }]) {
      await wiki.control.resetCounts()
      await wiki.control.fail({ path: 'tenant_info', status: 200, body, times: null })
      const ending = listAll(open(wiki, scoped)).finally(() => wiki.control.clearFaults())
      await assert.rejects(ending, { code: 'source_unauthorized' })
      assert.ok(!(await wiki.control.requests()).some(({ url }) => url.startsWith('/ex/')))
    }
  })

  test('says which scope is missing, and sends no password to the gateway', async () => {
    await wiki.control.setAccount('crawler', { scopes: ['read:page'] })
    const scoped = { username: crawler.email, token: crawler.scopedToken, cloud: true }
    const report = await open(wiki, { url: wiki.siteUrl, ...scoped }).check(signal)
    await wiki.control.setAccount('crawler', { scopes: null })
    assert.match(report.reason!, /lacks a scope/)

    await wiki.control.resetCounts()
    const password = { token: undefined, username: crawler.email, password: 'wrong', cloud: true }
    await assert.rejects(listAll(open(wiki, { url: wiki.siteUrl, ...password })), {
      code: 'source_unauthorized',
    })
    const requests = await wiki.control.requests()
    assert.ok(!requests.some(({ url }) => url.startsWith('/ex/')))
  })
})
