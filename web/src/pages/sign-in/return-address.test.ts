import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeReturnAddress } from './return-address.ts'

const origin = 'https://mill.acme.example'

for (const [given, address] of [
  ['/w/1/jobs?state=failed#log', '/w/1/jobs?state=failed#log'],
  [undefined, '/'],
  ['', '/'],
  ['https://evil.example/', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example/', '/'],
  ['/\t/evil.example/', '/'],
  ['javascript:alert(1)', '/'],
] as const) {
  test(`stays on this site for ${JSON.stringify(given)}`, () =>
    assert.equal(safeReturnAddress(given, origin), address))
}
