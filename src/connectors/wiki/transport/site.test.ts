import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apiUrl, cloudSite, dataCenterSite, gatewaySite, isHosted, urlOfLink } from './site.ts'

describe('cloudSite', () => {
  test('adds /wiki and drops a trailing slash', () => {
    const site = cloudSite('https://acme.atlassian.net/')
    assert.equal(site.base, 'https://acme.atlassian.net/wiki')
    assert.equal(site.name, 'acme.atlassian.net')
  })
  test('does not add /wiki twice', () => {
    const site = cloudSite('https://acme.atlassian.net/wiki')
    assert.equal(site.base, 'https://acme.atlassian.net/wiki')
  })
  test('keeps a non-default port in the name', () => {
    const site = cloudSite('https://acme.atlassian.net:8443')
    assert.equal(site.name, 'acme.atlassian.net:8443')
  })
  test('keeps a gateway prefix out of /wiki but in the name', () => {
    const site = cloudSite('https://api.atlassian.com/ex/confluence/abc-123/wiki')
    assert.equal(site.base, 'https://api.atlassian.com/ex/confluence/abc-123/wiki')
    assert.equal(site.prefix, '/ex/confluence/abc-123')
    assert.equal(site.name, 'api.atlassian.com/ex/confluence/abc-123')
  })
})

describe('dataCenterSite', () => {
  const contexts = {
    'https://wiki.corp': '',
    'https://wiki.corp/': '',
    'https://Wiki.corp/confluence/': '/confluence',
    'https://wiki.corp/wiki': '/wiki',
    'https://wiki.corp:8443/a/b': '/a/b',
  }
  for (const [address, context] of Object.entries(contexts)) {
    test(`keeps the path of ${address} and adds none`, () => {
      const site = dataCenterSite(address)
      const { origin, host } = new URL(address)
      assert.equal(site.base, `${origin}${context}`)
      assert.equal(site.name, `${host}${context}`)
      const current = apiUrl(site, '/rest/api/space')
      for (const link of ['/rest/api/space?start=25', `${context}/rest/api/space?start=25`]) {
        assert.equal(urlOfLink(site, link, current).href, `${site.base}/rest/api/space?start=25`)
      }
    })
  }
})

describe('gatewaySite', () => {
  test('uses the gateway and keeps the name of the wiki', () => {
    const site = cloudSite('https://acme.atlassian.net/wiki')
    const through = gatewaySite(site, { origin: 'https://api.atlassian.com', cloudId: 'abc-1' })
    assert.equal(through.base, 'https://api.atlassian.com/ex/confluence/abc-1/wiki')
    assert.equal(through.name, 'acme.atlassian.net')
    assert.equal(through.home, 'https://acme.atlassian.net/wiki')
    const next = urlOfLink(through, '/wiki/api/v2/spaces?cursor=z', apiUrl(through, '/api/v2/spaces'))
    assert.equal(next.href, `${through.base}/api/v2/spaces?cursor=z`)
  })
})

describe('isHosted', () => {
  test('recognises hosts with only Cloud sites', () => {
    for (const address of ['https://acme.atlassian.net', 'https://api.atlassian.com/ex/confluence/1'])
      assert.ok(isHosted(new URL(address)), address)
    for (const address of [
      'https://wiki.corp/wiki',
      'https://atlassian.net.evil',
      'https://notatlassian.net',
    ])
      assert.ok(!isHosted(new URL(address)), address)
  })
})

describe('apiUrl', () => {
  test('joins a path and a query', () => {
    const site = cloudSite('https://acme.atlassian.net')
    const url = apiUrl(site, '/api/v2/spaces', { limit: '250' })
    assert.equal(url.href, 'https://acme.atlassian.net/wiki/api/v2/spaces?limit=250')
  })
})

describe('a query', () => {
  test('repeats a name for each of its values', () => {
    const url = apiUrl(cloudSite('https://acme.atlassian.net'), '/x', { spaceKey: ['A', 'B'] })
    assert.equal(url.search, '?spaceKey=A&spaceKey=B')
  })
})

describe('urlOfLink', () => {
  const site = cloudSite('https://acme.atlassian.net')
  const current = apiUrl(site, '/api/v2/spaces')
  test('joins a relative link once, with its own /wiki', () => {
    const url = urlOfLink(site, '/wiki/api/v2/spaces?cursor=abc', current)
    assert.equal(url.href, 'https://acme.atlassian.net/wiki/api/v2/spaces?cursor=abc')
  })
  test('joins a relative link that has no /wiki', () => {
    const url = urlOfLink(site, '/api/v2/spaces?cursor=abc', current)
    assert.equal(url.href, 'https://acme.atlassian.net/wiki/api/v2/spaces?cursor=abc')
  })
  test('takes only the path of an absolute link to another host', () => {
    const url = urlOfLink(site, 'https://evil.example/wiki/api/v2/spaces?cursor=abc', current)
    assert.equal(url.href, 'https://acme.atlassian.net/wiki/api/v2/spaces?cursor=abc')
  })
  test('joins a bare query onto the current path', () => {
    const url = urlOfLink(site, '?cursor=next', current)
    assert.equal(url.href, 'https://acme.atlassian.net/wiki/api/v2/spaces?cursor=next')
  })
  test('does not double the context for a gateway site', () => {
    const gateway = cloudSite('https://api.atlassian.com/ex/confluence/id1/wiki')
    const here = apiUrl(gateway, '/api/v2/spaces')
    const url = urlOfLink(gateway, '/ex/confluence/id1/wiki/api/v2/spaces?cursor=z', here)
    assert.equal(url.href, 'https://api.atlassian.com/ex/confluence/id1/wiki/api/v2/spaces?cursor=z')
  })
})
