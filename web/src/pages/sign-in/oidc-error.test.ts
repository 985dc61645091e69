import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInTexts as texts } from '../../texts/sign-in.ts'
import { oidcErrorText } from './oidc-error.ts'

for (const [given, expected] of [
  ['not_invited', texts.oidcErrors.not_invited],
  ['access_denied', texts.oidcFailed],
  ['__proto__', texts.oidcFailed],
  ['constructor', texts.oidcFailed],
  ['', undefined],
  [undefined, undefined],
] as const) {
  test(`has a message for the error ${JSON.stringify(given)}`, () =>
    assert.equal(oidcErrorText(given), expected))
}
