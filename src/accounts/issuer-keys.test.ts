import assert from 'node:assert/strict'
import { after, before, describe, mock, test } from 'node:test'
import { jwtVerify } from 'jose'
import { type Issuer, startIssuer } from '../../test/world/issuer.ts'
import { createIssuerKeys, type IssuerKeys } from './issuer-keys.ts'

const MINUTE_MS = 60_000

describe('the keys of an issuer', () => {
  let issuer: Issuer
  let keys: IssuerKeys
  before(async () => {
    issuer = await startIssuer()
    keys = createIssuerKeys(async (url, request) => fetch(url, request))
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
  })
  after(async () => {
    mock.timers.reset()
    await issuer.stop()
  })

  const address = () => ({ issuer: issuer.url, jwks_url: null })
  const verify = async (token: string) => {
    const { key } = await keys(address())
    return jwtVerify(token, key)
  }
  const newToken = () => issuer.accessToken({ sub: 'ann', exp: Math.floor(Date.now() / 1000) + 3600 })

  test('it fails while the issuer is away, and works as soon as it is back', async () => {
    issuer.isAway = true
    await assert.rejects(verify(newToken()), { code: 'identity_provider_failed' })
    issuer.isAway = false
    assert.equal((await verify(newToken())).payload.sub, 'ann')
  })

  test('it reads metadata and keys once for many tokens', async () => {
    const before = issuer.requests.length
    for (let count = 0; count < 3; count++) await verify(newToken())
    assert.equal(issuer.requests.length, before)
  })

  test('it finds a rotated key, with at most one request in 30 seconds', async () => {
    const old = newToken()
    issuer.rotate()
    const before = issuer.requests.length
    await assert.rejects(verify(newToken()), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
    assert.equal(issuer.requests.length, before)
    mock.timers.tick(31_000)
    await verify(newToken())
    assert.equal(issuer.requests.length, before + 1)
    await assert.rejects(verify(old), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
    assert.equal(issuer.requests.length, before + 1)
  })

  test('it does not use keys for longer than ten minutes', async () => {
    const token = newToken()
    issuer.isAway = true
    mock.timers.tick(9 * MINUTE_MS)
    await verify(token)
    mock.timers.tick(2 * MINUTE_MS)
    await assert.rejects(verify(token), { code: 'identity_provider_failed' })
    issuer.isAway = false
    await verify(token)
  })

  test('it refuses metadata that names another issuer', async () => {
    const posing = createIssuerKeys(async () => {
      const metadata = { issuer: 'https://login.acme.example', jwks_uri: `${issuer.url}/keys` }
      return { status: 200, text: async () => JSON.stringify(metadata) }
    })
    await assert.rejects(posing(address()), /names another issuer/)
  })

  test('it reports responses that are no keys', async () => {
    for (const text of ['<html>', '{}', '{"keys":[{"kty":"none"}]}']) {
      const odd = createIssuerKeys(async () => ({ status: 200, text: async () => text }))
      const { key } = await odd({ issuer: issuer.url, jwks_url: `${issuer.url}/keys` })
      await assert.rejects(jwtVerify(newToken(), key))
    }
  })
})
