import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errorsPage } from './error-guide.ts'

test('docs/errors.md equals the catalogue; `npm run docs` writes it', () => {
  assert.equal(readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8'), errorsPage())
})
