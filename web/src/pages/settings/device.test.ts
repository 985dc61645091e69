import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceOf } from './device.ts'

for (const [agent, device] of [
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML) Chrome/156.0 Safari/537.36',
    'Chrome on Linux',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/156.0 Safari/537.36 Edg/156.0',
    'Edge on Windows',
  ],
  ['Mozilla/5.0 (Windows NT 10.0; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox on Windows'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1', 'Safari on iOS'],
  ['Mozilla/5.0 (Linux; Android 15) Chrome/156.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['curl/8.9.1', 'curl'],
  ['', undefined],
  [null, undefined],
] as const) {
  test(`names ${agent?.slice(-24) ?? 'nothing'} ${device}`, () => assert.equal(deviceOf(agent), device))
}
