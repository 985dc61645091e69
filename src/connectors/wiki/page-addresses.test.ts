import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { documentAddresses } from './page-addresses.ts'

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
    test(`${address} stands for ${expected[0] ?? 'no record'}`, () =>
      assert.deepEqual(recordIds(address), expected))
})
