import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOpenable } from './openable.ts'

test('opens only web pages outside the service', () => {
  assert.equal(isOpenable('https://acme.atlassian.net/wiki/spaces/A/pages/1'), true)
  assert.equal(isOpenable('HTTP://wiki.corp/x'), true)
  for (const url of [
    'javascript:alert(1)',
    '',
    'x',
    null,
    'http://sample-wiki.millrace.internal/wiki/spaces/A',
  ])
    assert.equal(isOpenable(url), false, String(url))
})
