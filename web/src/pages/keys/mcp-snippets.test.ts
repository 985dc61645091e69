import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mcpSnippets } from './mcp-snippets.ts'

const access = { origin: 'https://mill.acme.example:8443', token: 'mlr_abc' }

test('it names the service and the token for every assistant', () => {
  for (const [assistant, code] of Object.entries(mcpSnippets({ ...access, needsPerson: false }))) {
    assert.match(code, /https:\/\/mill\.acme\.example:8443\/mcp/, assistant)
    assert.match(code, /Bearer mlr_abc"/, assistant)
    assert.doesNotMatch(code, /X-Person-Token/, assistant)
    if (assistant !== 'claude') assert.ok(JSON.parse(code))
  }
})

test('it adds the person to a search key', () => {
  for (const [assistant, code] of Object.entries(mcpSnippets({ ...access, needsPerson: true })))
    assert.match(code, /X-Person-Token/, assistant)
})
