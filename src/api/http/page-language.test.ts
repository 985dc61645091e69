import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES, pageLanguage } from './page-language.ts'

for (const [accepted, cookie, language] of [
  [undefined, undefined, 'en'],
  ['de', undefined, 'de'],
  ['DE-at', undefined, 'de'],
  ['en-US,en;q=0.9,de;q=0.8', undefined, 'en'],
  ['en;q=0.5, de;q=0.8', undefined, 'de'],
  ['fr,de;q=0.3', undefined, 'de'],
  ['fr, *', undefined, 'en'],
  ['de;q=0', undefined, 'en'],
  ['de;q=high', undefined, 'en'],
  ['de', 'session=x; millrace_language=en', 'en'],
  ['en', 'millrace_language=de; session=x', 'de'],
  ['de', 'millrace_language=fr', 'de'],
  ['en', 'my_millrace_language=de', 'en'],
] as const) {
  test(`it is ${language} for ${accepted} and the cookie ${cookie}`, () =>
    assert.equal(pageLanguage({ 'accept-language': accepted, cookie }, LANGUAGES), language))
}
