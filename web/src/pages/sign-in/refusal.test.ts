import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInTexts as texts } from '../../texts/sign-in.ts'
import { refusalOf } from './refusal.ts'

for (const [given, said] of [
  ['not_invited', texts.oidcRefused.not_invited],
  ['access_denied', texts.oidcFailed],
  ['__proto__', texts.oidcFailed],
  ['constructor', texts.oidcFailed],
  ['', undefined],
  [undefined, undefined],
] as const) {
  test(`has words for the error ${JSON.stringify(given)}`, () => assert.equal(refusalOf(given), said))
}
