import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ApiError } from './errors.ts'
import { helpAddress, helpOnError } from './help.ts'

const docs = join(import.meta.dirname, '../../../docs')

test('it is the address of a page of the documentation', () => {
  assert.equal(helpAddress('docs/connectors/wiki.md'), '/help/connectors/wiki')
})

test('it explains an error by its code', () => {
  const address = helpOnError(new ApiError('/sources', 409, { detail: 'x', code: 'name_taken' }))
  assert.equal(address, '/help/errors#name_taken')
  assert.match(readFileSync(join(docs, 'errors.md'), 'utf8'), /<a id="name_taken">/)
})

test('it explains failures of the page in general', () => {
  assert.equal(helpOnError(new Error('x')), '/help/page/trouble')
  assert.ok(existsSync(join(docs, 'page/trouble.md')))
})
