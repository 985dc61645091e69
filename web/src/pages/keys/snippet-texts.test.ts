import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snippetsFor } from './snippet-texts.ts'

test('puts the service address into every example, and no key', () => {
  for (const [language, code] of Object.entries(snippetsFor('https://mill.acme.example:8443'))) {
    assert.match(code, /https:\/\/mill\.acme\.example:8443/, language)
    assert.match(code, /MILLRACE_API_KEY/, language)
  }
})
