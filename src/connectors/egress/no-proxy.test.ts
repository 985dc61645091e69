import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isLoopback, parseNoProxy } from './no-proxy.ts'

describe('NO_PROXY', () => {
  const cases: [entries: string, direct: string[], proxied: string[]][] = [
    ['', [], ['https://wiki.example']],
    ['*', ['https://wiki.example', 'http://10.0.0.5:9200', 'https://[fd00::7]'], []],
    [
      'corp.example',
      ['https://corp.example', 'https://wiki.corp.example:8443', 'https://WIKI.Corp.Example.'],
      ['https://mycorp.example', 'https://corp.example.org'],
    ],
    [
      '.corp.example',
      ['https://wiki.corp.example', 'https://a.b.corp.example'],
      ['https://corp.example', 'https://acorp.example'],
    ],
    ['*.corp.example', ['https://wiki.corp.example'], ['https://corp.example']],
    ['search:9200', ['http://search:9200'], ['http://search', 'http://search:9201', 'http://other:9200']],
    ['.corp.example:443', ['https://wiki.corp.example'], ['http://wiki.corp.example']],
    ['10.0.0.5', ['http://10.0.0.5:9200', 'http://10.5'], ['http://10.0.0.6', 'http://10.0.0.5.example']],
    [
      '10.0.0.0/8, fd00::/8',
      ['http://10.200.3.4', 'https://[fd12::1]', 'https://[::ffff:10.1.1.1]'],
      ['http://11.0.0.1', 'https://[fe80::1]', 'https://intern.example'],
    ],
    [
      '[fd00::7]:9200 ::1',
      ['http://[fd00::7]:9200', 'http://[fd00:0::7]:9200', 'http://[::1]:80'],
      ['http://[fd00::7]', 'http://[fd00::8]:9200'],
    ],
    [
      ' a.example ,,b.example\tc.example ',
      ['https://a.example', 'https://b.example', 'https://c.example'],
      ['https://d.example'],
    ],
    ['bücher.example', ['https://xn--bcher-kva.example', 'https://bücher.example'], []],
  ]
  for (const [entries, direct, proxied] of cases) {
    test(`with ${JSON.stringify(entries)} chooses the way for each address`, () => {
      const isDirect = parseNoProxy(entries)
      for (const url of direct) assert.equal(isDirect(new URL(url)), true, url)
      for (const url of proxied) assert.equal(isDirect(new URL(url)), false, url)
    })
  }

  test('refuses entries that are no name, address or network', () => {
    for (const entry of [
      '10.0.0.0/99',
      'https://a.example',
      'a.example:x',
      'a.example:70000',
      '[fd00::7',
      'a..b',
      '<local>',
    ]) {
      assert.throws(() => parseNoProxy(`ok.example,${entry}`), {
        message: `NO_PROXY: ${JSON.stringify(entry)} is no name, address or network`,
      })
    }
  })

  test('knows loopback addresses', () => {
    for (const url of ['http://localhost:9200', 'http://a.localhost', 'http://127.8.8.8', 'http://[::1]'])
      assert.equal(isLoopback(new URL(url)), true, url)
    for (const url of ['http://10.0.0.1', 'http://localhost.example', 'http://[fd00::1]'])
      assert.equal(isLoopback(new URL(url)), false, url)
  })
})
