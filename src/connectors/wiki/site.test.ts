import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cloudSite, follow, within } from './site.ts'

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

describe('within', () => {
  test('joins a path and a query', () => {
    const site = cloudSite('https://acme.atlassian.net')
    const url = within(site, '/api/v2/spaces', { limit: '250' })
    assert.equal(url.href, 'https://acme.atlassian.net/wiki/api/v2/spaces?limit=250')
  })
})

describe('follow', () => {
  const site = cloudSite('https://acme.atlassian.net')
  const current = within(site, '/api/v2/spaces')
  test('joins a relative link once, with its own /wiki', () => {
    const url = follow(site, '/wiki/api/v2/spaces?cursor=abc', current)
    assert.equal(url.href, 'https://acme.atlassian.net/wiki/api/v2/spaces?cursor=abc')
  })
  test('joins a relative link that has no /wiki', () => {
    const url = follow(site, '/api/v2/spaces?cursor=abc', current)
    assert.equal(url.href, 'https://acme.atlassian.net/wiki/api/v2/spaces?cursor=abc')
  })
  test('takes only the path of an absolute link to another host', () => {
    const url = follow(site, 'https://evil.example/wiki/api/v2/spaces?cursor=abc', current)
    assert.equal(url.href, 'https://acme.atlassian.net/wiki/api/v2/spaces?cursor=abc')
  })
  test('joins a bare query onto the current path', () => {
    const url = follow(site, '?cursor=next', current)
    assert.equal(url.href, 'https://acme.atlassian.net/wiki/api/v2/spaces?cursor=next')
  })
  test('does not double the context for a gateway site', () => {
    const gateway = cloudSite('https://api.atlassian.com/ex/confluence/id1/wiki')
    const here = within(gateway, '/api/v2/spaces')
    const url = follow(gateway, '/ex/confluence/id1/wiki/api/v2/spaces?cursor=z', here)
    assert.equal(url.href, 'https://api.atlassian.com/ex/confluence/id1/wiki/api/v2/spaces?cursor=z')
  })
})
