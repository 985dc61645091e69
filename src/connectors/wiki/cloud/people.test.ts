import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../errors.ts'
import { cloudSite, gatewaySite, type Site } from '../transport/site.ts'
import { cloudPeople } from './people.ts'

const { signal } = new AbortController()
const site = cloudSite('https://acme.atlassian.net')
const gateway = gatewaySite(site, { origin: 'https://api.atlassian.com', cloudId: 'c1' })

/** A wiki, or a gateway, that finds nothing. */
function membersAt(at: Site) {
  const missing = async () => {
    throw new AppError('source_not_found', 'not there')
  }
  return cloudPeople({
    site: at,
    send: missing,
    sendPaged: () => assert.fail('links are not followed'),
    download: () => assert.fail('nothing is downloaded'),
  }).members('g1', signal)
}

test('a group that the site does not find has no members', async () => {
  assert.deepEqual(await membersAt(site), [])
})

test('a group that the gateway does not find is unknown, because the token may lack a scope', async () => {
  await assert.rejects(membersAt(gateway), { code: 'source_not_found' })
})
