import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAllowedHost, parseAllowedHosts } from './allowed-hosts.ts'

function allows(list: string, url: string): boolean {
  return isAllowedHost(parseAllowedHosts(list), new URL(url))
}

describe('the list of allowed hosts', () => {
  test('allows every port if none is given', () => {
    assert.ok(allows('wiki.corp', 'http://wiki.corp'))
    assert.ok(allows('wiki.corp', 'https://wiki.corp:8443/path'))
    assert.ok(!allows('wiki.corp', 'http://search.corp'))
  })

  test('allows only the given port, default ports included', () => {
    assert.ok(allows('wiki.corp:443', 'https://wiki.corp'))
    assert.ok(allows('wiki.corp:80', 'http://wiki.corp'))
    assert.ok(!allows('wiki.corp:443', 'http://wiki.corp'))
    assert.ok(!allows('wiki.corp:443', 'https://wiki.corp:8443'))
  })

  test('matches * with exactly one label of a name', () => {
    assert.ok(allows('*.corp', 'http://wiki.corp'))
    assert.ok(allows('*', 'http://wiki'))
    assert.ok(!allows('*.corp', 'http://corp'))
    assert.ok(!allows('*.corp', 'http://a.b.corp'))
    assert.ok(!allows('*.corp', 'http://wiki.corp.evil'))
    assert.ok(!allows('*', 'http://[::1]'))
    assert.ok(!allows('*.*.*.x', 'http://127.0.0.1'))
  })

  test('compares addresses in canonical form', () => {
    assert.ok(allows('127.0.0.1', 'http://2130706433:9200'))
    assert.ok(allows('[::1]:9200', 'http://[0:0:0:0:0:0:0:1]:9200'))
    assert.ok(!allows('[::1]:9200', 'http://[::1]:9201'))
    assert.ok(!allows('127.0.0.1', 'http://127.0.0.2'))
  })

  test('ignores case, a final dot and punycode in names', () => {
    assert.ok(allows('Wiki.Corp', 'http://wiki.corp.'))
    assert.ok(allows('wiki.corp.', 'http://WIKI.corp'))
    assert.ok(allows('bücher.example', 'https://xn--bcher-kva.example'))
  })

  test('ignores blanks and empty entries', () => {
    assert.equal(parseAllowedHosts('').length, 0)
    assert.ok(allows(' a.corp , ,b.corp:1,', 'http://b.corp:1'))
  })

  const wrong = ['https://wiki.corp', 'wiki.corp/x', '::1', 'wiki.corp:0', 'wiki.corp:70000', 'wiki.corp:']
  for (const entry of [...wrong, 'wi*.corp', '10.0.0.*', 'a..b', '[::1', 'u@h', 'a b', 'a?b']) {
    test(`refuses ${entry} by name`, () => {
      assert.throws(() => parseAllowedHosts(entry), { message: /^MILLRACE_ALLOWED_HOSTS: "/ })
    })
  }
})
