import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeScope, SCOPES, scopeOf, scopeOfRequest, scopesTable } from './scopes.ts'
import { cloudSite, gatewaySite } from './transport/site.ts'

test('the documentation has the table of scopes', () => {
  const docs = readFileSync(new URL('../../../docs/connectors/wiki.md', import.meta.url), 'utf8')
  assert.ok(docs.includes(scopesTable()), `docs/connectors/wiki.md lacks this table:\n${scopesTable()}`)
})

test('every path has one scope', () => {
  const paths = SCOPES.flatMap((row) => row.paths)
  assert.equal(new Set(paths).size, paths.length)
  assert.deepEqual(scopeOf('/rest/api/content/123/restriction/byOperation')?.granular, [
    'read:content-details:confluence',
  ])
  assert.equal(scopeOf('/api/v2/space-role-mode')?.granular[0], 'read:configuration:confluence')
  assert.equal(scopeOf('/api/v2/folders/7')?.granular[0], 'read:folder:confluence')
  assert.equal(scopeOf('/api/v2/nothing'), null)
})

test('only requests through the gateway have scopes', () => {
  const site = cloudSite('https://acme.atlassian.net')
  const gateway = gatewaySite(site, { origin: 'https://api.atlassian.com', cloudId: 'c1' })
  const at = (base: string) => new URL(`${base}/api/v2/spaces/1/permissions?limit=250`)
  assert.equal(scopeOfRequest(at(site.base), site), null)
  assert.equal(scopeOfRequest(at('https://media.example'), gateway), null)
  const found = scopeOfRequest(at(gateway.base), gateway)
  assert.equal(
    found && describeScope(found),
    'read:space:confluence to list spaces and read their permissions',
  )
})
