import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addressShortenings, documentAddresses } from './page-addresses.ts'

/** As the page applies the patterns: to host, path and query, the first that fits. */
function recordIds(address: string): string[] {
  const { host, pathname, search } = new URL(address)
  const text = host + pathname + search
  const fits = documentAddresses.find(({ pattern }) => new RegExp(pattern).test(text))
  if (!fits) return []
  const groups = new RegExp(fits.pattern).exec(text) ?? []
  return [...new Set(fits.recordIds.map((id) => id.replace(/\$(\d)/g, (_, at) => groups[Number(at)] ?? '')))]
}

describe('the address of a page', () => {
  const cases: [string, string[]][] = [
    [
      'https://Acme.atlassian.net/wiki/spaces/ENG/pages/98777/On+call?focus=1',
      ['acme.atlassian.net/98777', 'acme.atlassian.net/wiki/98777'],
    ],
    ['http://127.0.0.1:8090/pages/viewpage.action?pageId=12', ['127.0.0.1:8090/12']],
    ['http://127.0.0.1:8090/pages/viewpage.action?from=x&pageId=12&to=y', ['127.0.0.1:8090/12']],
    ['https://wiki.acme.test/confluence/spaces/ENG/pages/12', ['wiki.acme.test/confluence/12']],
    [
      'https://wiki.acme.test/wiki/spaces/ENG/blog/2026/01/31/77/News',
      ['wiki.acme.test/77', 'wiki.acme.test/wiki/77'],
    ],
    ['https://wiki.acme.test/wiki/pages/77', ['wiki.acme.test/77', 'wiki.acme.test/wiki/77']],
    ['https://acme.atlassian.net/wiki/home', []],
    ['https://wiki.acme.test/display/ENG/On+call', []],
  ]
  for (const [address, expected] of cases)
    test(`${address} leads to ${expected[0] ?? 'no record'}`, () =>
      assert.deepEqual(recordIds(address), expected))
})

/** As the page applies the patterns. */
function shortened(address: string): [string, string?] {
  for (const { pattern, value, scope } of addressShortenings) {
    const groups = new RegExp(pattern, 'i').exec(address)
    const fill = (text: string) => text.replace(/\$(\d)/g, (_, at) => groups?.[Number(at)] ?? '')
    if (groups) return scope ? [fill(value), decodeURIComponent(fill(scope))] : [fill(value)]
  }
  return [address]
}

describe('a pasted address', () => {
  const cloud = 'https://acme.atlassian.net'
  const server = 'https://wiki.acme.test'
  const cases: [string, string, string?][] = [
    [`${cloud}/wiki/spaces/ENG/pages/98777/On+call?focus=1#x`, cloud, 'ENG'],
    [`${cloud}/wiki/spaces/ENG/overview`, cloud, 'ENG'],
    [`${cloud}/wiki/spaces/~5570580f1e2d/pages/1`, cloud, '~5570580f1e2d'],
    [`${cloud}/wiki/spaces/%7Eada/blog/2026/01/31/77/News`, cloud, '~ada'],
    [`${cloud}/wiki/home`, cloud],
    [`${cloud}/wiki`, cloud],
    [`${cloud}/wiki/x/AYCB`, cloud],
    [`${cloud}/?x=1`, cloud],
    [cloud, cloud],
    [`${server}/display/ENG/On+call`, server, 'ENG'],
    [`${server}/confluence/display/ENG/On+call?src=search`, `${server}/confluence`, 'ENG'],
    [`${server}/wiki/spaces/ENG/pages/12/On+call`, `${server}/wiki`, 'ENG'],
    [`${server}/teams/wiki/display/~ada/Notes`, `${server}/teams/wiki`, '~ada'],
    [`${server}/pages/viewpage.action?pageId=12`, server],
    [`${server}/confluence/pages/viewpage.action?pageId=12#a`, `${server}/confluence`],
    [`${server}/wiki/pages/viewpage.action?spaceKey=ENG&title=On+call`, `${server}/wiki`, 'ENG'],
    [`${server}/spaces/viewspace.action?key=ENG`, server, 'ENG'],
    [`${server}/confluence/spaces/ENG`, `${server}/confluence`, 'ENG'],
    [`${server}/confluence/x/AYCB`, `${server}/confluence`],
    [`${server}/confluence/dashboard.action`, `${server}/confluence`],
    [`${server}/login.action?os_destination=%2Fdisplay%2FENG`, server],
    [`${server}/confluence?x=1`, `${server}/confluence`],
    [`${server}/confluence`, `${server}/confluence`],
    [`${server}:8443/display/ENG`, `${server}:8443`, 'ENG'],
    [server, server],
  ]
  for (const [address, ...expected] of cases)
    test(`${address} becomes ${expected.join(' and space ')}`, () =>
      assert.deepEqual(shortened(address), expected))
})
