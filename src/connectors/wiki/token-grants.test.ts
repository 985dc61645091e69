import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeGrant, grantOfPath, grantOfRequest, TOKEN_GRANTS, tokenGrantsTable } from './token-grants.ts'
import { cloudSite, gatewaySite } from './transport/site.ts'

test('the documentation has the table of scopes', () => {
  const docs = readFileSync(new URL('../../../docs/connectors/wiki.md', import.meta.url), 'utf8')
  assert.ok(
    docs.includes(tokenGrantsTable()),
    `docs/connectors/wiki.md lacks this table:\n${tokenGrantsTable()}`,
  )
})

test('every path has one scope', () => {
  const paths = TOKEN_GRANTS.flatMap((row) => row.paths)
  assert.equal(new Set(paths).size, paths.length)
  assert.deepEqual(grantOfPath('/rest/api/content/123/restriction/byOperation')?.granular, [
    'read:content-details:confluence',
  ])
  assert.equal(grantOfPath('/api/v2/space-role-mode')?.granular[0], 'read:configuration:confluence')
  assert.equal(grantOfPath('/api/v2/folders/7')?.granular[0], 'read:folder:confluence')
  assert.equal(grantOfPath('/api/v2/nothing'), null)
})

test('only requests through the gateway have scopes', () => {
  const site = cloudSite('https://acme.atlassian.net')
  const gateway = gatewaySite(site, { origin: 'https://api.atlassian.com', cloudId: 'c1' })
  const at = (base: string) => new URL(`${base}/api/v2/spaces/1/permissions?limit=250`)
  assert.equal(grantOfRequest(at(site.base), site), null)
  assert.equal(grantOfRequest(at('https://media.example'), gateway), null)
  const found = grantOfRequest(at(gateway.base), gateway)
  assert.equal(
    found && describeGrant(found),
    'read:space:confluence to list spaces and read their permissions',
  )
})
