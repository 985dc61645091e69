import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireKnownHost } from './known-hosts.ts'

const PUBLIC = ['mill.example.com']
const cases: [host: string, origin: string | undefined, isAccepted: boolean][] = [
  ['localhost:8080', undefined, true],
  ['127.0.0.1:8080', undefined, true],
  ['[::1]:8080', undefined, true],
  ['mill.example.com', undefined, true],
  ['MILL.example.com:443', undefined, true],
  ['10.1.2.3:8080', undefined, true],
  ['[fd00::1]', undefined, true],
  ['evil.example', undefined, false],
  ['mill.example.com.evil.example', undefined, false],
  ['localhost.evil.example', undefined, false],
  ['evil.example@localhost', undefined, false],
  ['localhost/evil', undefined, false],
  ['', undefined, false],
  ['mill.example.com', 'https://mill.example.com', true],
  ['localhost:8080', 'http://localhost:6274', true],
  ['mill.example.com', 'http://localhost:6274', true],
  ['10.1.2.3:8080', 'http://10.1.2.3:8080', true],
  ['10.1.2.3:8080', 'http://10.9.9.9', false],
  ['localhost:8080', 'http://evil.example', false],
  ['evil.example', 'http://evil.example', false],
  ['localhost:8080', 'null', false],
  ['localhost:8080', '', false],
  ['localhost:8080', 'file://localhost', false],
  ['localhost:8080', 'chrome-extension://abcdefgh', false],
]
for (const [host, origin, isAccepted] of cases)
  test(`it ${isAccepted ? 'accepts' : 'refuses'} the host "${host}" with the origin ${origin}`, () => {
    const check = () =>
      requireKnownHost({ headers: { host, ...(origin === undefined ? {} : { origin }) } }, PUBLIC)
    if (isAccepted) check()
    else assert.throws(check, { code: 'forbidden' })
  })
