import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { hosted } from '../world/api-service.ts'
import { type Forged, type Issuer, startIssuer } from '../world/issuer.ts'
import { firstAdministrator, joinWorkspace, type PageClient } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../world/service.ts'

type Tested = { valid: boolean; code: string | null; reason: string | null; person: { value: string } | null }

const AUDIENCE = 'millrace-search'
const now = () => Math.floor(Date.now() / 1000)
const ann = { aud: AUDIENCE, sub: 'ann', email: 'Ann@acme.example', email_verified: true }

describe('person tokens', () => {
  let issuer: Issuer
  let other: Issuer
  let millrace: Millrace
  let ada: PageClient
  let workspace: string
  let drop: () => Promise<void>
  before(async () => {
    ;[issuer, other] = await Promise.all([startIssuer(), startIssuer()])
    const database = await migratedDatabase()
    drop = database.drop
    millrace = await startMillrace({ databaseUrl: database.url, allowedHosts: [issuer.host, other.host] })
    const first = await firstAdministrator(millrace)
    ada = first.ada
    workspace = first.workspace
  })
  beforeEach(async () => {
    await set({ mapping: 'email' })
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await Promise.all([issuer.stop(), other.stop()])
    await drop()
  })

  const set = async (more: object) => {
    const answer = await ada.put('/identity', { issuer: issuer.url, audience: AUDIENCE, ...more })
    assert.equal(answer.status, 200, answer.text)
  }
  const tested = async (token: string) => {
    const answer = await ada.post<Tested>('/identity/test', { token })
    assert.equal(answer.status, 200, answer.text)
    assert.ok(!answer.text.includes(token.slice(-40)) || token.length < 40, 'the token is not repeated')
    return answer.body
  }

  test('it accepts a token of the configured issuer and says who it is', async () => {
    const { valid, person, reason } = await tested(issuer.accessToken(ann))
    assert.deepEqual([valid, reason, person?.value], [true, null, 'Ann@acme.example'])
    const forSeveral = issuer.accessToken({ ...ann, aud: ['another', AUDIENCE] })
    assert.equal((await tested(forSeveral)).valid, true)
    const barelyExpired = issuer.accessToken({ ...ann, exp: now() - 30, nbf: now() + 30 })
    assert.equal((await tested(barelyExpired)).valid, true, 'within the clock skew')
  })

  const forgeries: [what: string, claims: object, forged: Forged, reason: RegExp][] = [
    ['without a signature', {}, { alg: 'none' }, /algorithm/],
    ['signed with the public key as a secret', {}, { alg: 'HS256' }, /algorithm/],
    ['of a key that is not published', {}, { unknownKey: true }, /signature/],
    ['of an unknown key id', {}, { header: { kid: 'two' } }, /no key/],
    ['with a critical extension', {}, { header: { crit: ['x'], x: 1 } }, /cannot be read/],
    ['that signs a person out', {}, { header: { typ: 'logout+jwt' } }, /neither/],
    ['for another audience', { aud: 'another' }, {}, /audience/],
    ['for several other audiences', { aud: ['another', 'third'] }, {}, /audience/],
    ['for an audience that only begins alike', { aud: `${AUDIENCE}-2` }, {}, /audience/],
    ['without audience', { aud: undefined }, {}, /audience/],
    ['of another issuer', { iss: 'https://login.acme.example' }, {}, /issuer/],
    ['without issuer', { iss: undefined }, {}, /issuer/],
    ['that has expired', { exp: now() - 120 }, {}, /expired/],
    ['without expiry', { exp: undefined }, {}, /expiry/],
    ['that is valid for 95 years', { exp: now() + 95 * 365 * 86_400 }, {}, /valid for more than 24 hours/],
    ['that expires beyond every date', { exp: 1e300 }, {}, /valid for more than 24 hours/],
    ['that was issued two days before it expires', { iat: now() - 2 * 86_400 }, {}, /more than 24 hours/],
    ['without a time of issue, of two days', { iat: undefined, exp: now() + 2 * 86_400 }, {}, /more than 24/],
    ['that is not valid yet', { nbf: now() + 600 }, {}, /not valid yet/],
    ['with an address that is not verified', { email_verified: false }, {}, /not verified/],
    ['with an address that is not verified, as text', { email_verified: 'false' }, {}, /not verified/],
    ['without a word about verification', { email_verified: undefined }, {}, /not verified/],
    ['without the claim', { email: undefined }, {}, /no claim email/],
    ['with a list as the claim', { email: ['ann@acme.example'] }, {}, /not text/],
    ['with an empty claim', { email: ' ' }, {}, /empty/],
    ['with a NUL in the claim', { email: 'ann\0@acme.example' }, {}, /control/],
  ]
  for (const [what, claims, forged, reason] of forgeries)
    test(`it refuses a token ${what}`, async () => {
      const answer = await tested(issuer.accessToken({ ...ann, ...claims }, forged))
      assert.deepEqual([answer.valid, answer.code, answer.person], [false, 'person_token_invalid', null])
      assert.match(answer.reason ?? '', reason)
    })

  test('it refuses texts that are no token, and huge ones', async () => {
    for (const text of ['x', 'a.b.c', `${'a'.repeat(30_000)}.b.c`, issuer.accessToken(ann).slice(0, -4)])
      assert.deepEqual(
        [(await tested(text)).valid, (await tested(text)).code],
        [false, 'person_token_invalid'],
      )
  })

  test('it takes an address without a word about verification only if told to trust it', async () => {
    await set({ mapping: 'email', trust_email: true })
    const { email_verified: _, ...silent } = ann
    assert.equal((await tested(issuer.accessToken(silent))).valid, true)
    assert.equal((await tested(issuer.accessToken({ ...ann, email_verified: false }))).valid, false)
    const upn = { issuer: issuer.url, audience: AUDIENCE, mapping: 'email', claim: 'upn' }
    assert.equal((await ada.put('/identity', upn)).status, 422)
  })

  for (const mapping of ['table', 'account_id'])
    test(`it refuses an unverified address as the claim of the mapping ${mapping}`, async () => {
      await set({ mapping, claim: 'email' })
      assert.equal((await tested(issuer.accessToken(ann))).valid, true)
      for (const email_verified of [false, 'false', 0])
        assert.equal((await tested(issuer.accessToken({ ...ann, email_verified }))).valid, false)
      const { email_verified: _, ...silent } = ann
      assert.equal((await tested(issuer.accessToken(silent))).valid, true, 'a table names the address itself')
    })

  test('it shows unusual claims of a valid token', async () => {
    const odd = { ...ann, sub: 7, aud: [AUDIENCE, 8] }
    assert.equal((await tested(issuer.accessToken(odd))).person?.value, 'Ann@acme.example')
  })

  test('it accepts only the issuer of the own workspace', async () => {
    const { body } = await ada.post<{ id: string }>('/workspaces', { name: 'Other' })
    const email = 'olga@acme.example'
    const olga = await joinWorkspace(ada, millrace.url ?? '', {
      email,
      role: 'administrator',
      workspace: body.id,
    })
    const settings = { issuer: other.url, audience: AUDIENCE, mapping: 'email' }
    assert.equal((await olga.put('/identity', settings)).status, 200)
    const theirs = other.accessToken(ann)
    assert.equal((await tested(theirs)).valid, false)
    assert.equal((await tested(other.accessToken({ ...ann, iss: issuer.url }))).valid, false)
    assert.equal((await olga.post<Tested>('/identity/test', { token: theirs })).body.valid, true)
  })

  test('it answers a search with an invalid token, or one that cannot be checked, with an error', async () => {
    const { body: destination } = await ada.post<{ id: string }>('/destinations', {
      ...{ name: 'index', type: 'searchindex', config: hosted },
    })
    const search = async (token: string, body: object = { query: 'x' }) => {
      const response = await fetch(`${millrace.url}/api/v1/destinations/${destination.id}/search`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TEST_KEY}`,
          'x-person-token': token,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
      return [response.status, ((await response.json()) as { code?: string }).code]
    }
    assert.deepEqual(await search(issuer.accessToken({ ...ann, aud: 'x' })), [401, 'person_token_invalid'])
    assert.deepEqual(await search(''), [401, 'person_token_invalid'])
    const named = { query: 'x', as: { user: 'ben' } }
    assert.deepEqual(await search(issuer.accessToken(ann), named), [422, undefined])
    await set({ mapping: 'email', jwks_url: `${issuer.url}/missing` })
    assert.deepEqual(await search(issuer.accessToken(ann)), [502, 'identity_provider_failed'])
    assert.equal((await tested(issuer.accessToken(ann))).code, 'identity_provider_failed')
    await ada.delete('/identity')
    assert.deepEqual(await search(issuer.accessToken(ann)), [403, 'identity_not_configured'])
    assert.equal((await ada.delete('/identity')).status, 404)
  })

  test('it checks addresses of the settings and requires an audience', async () => {
    const valid = { issuer: issuer.url, audience: AUDIENCE, mapping: 'table' }
    const wrong: [object, string][] = [
      [{ audience: '' }, 'audience'],
      [{ issuer: 'https://10.0.0.1' }, 'issuer'],
      [{ issuer: 'http://login.acme.example' }, 'issuer'],
      [{ issuer: 'https://ada:secret@login.acme.example' }, 'issuer'],
      [{ issuer: 'no address' }, 'issuer'],
      [{ jwks_url: 'http://127.0.0.1:9/keys' }, 'jwks_url'],
      [{ mapping: 'name' }, 'mapping'],
      [{ secret: 'x' }, 'secret'],
    ]
    for (const [more, field] of wrong) {
      const answer = await ada.put<{ detail: { loc: string[] }[] }>('/identity', { ...valid, ...more })
      assert.equal(answer.status, 422, answer.text)
      assert.equal(answer.body.detail[0]?.loc.at(-1), field, answer.text)
    }
    const answer = await ada.put<{ claim: string }>('/identity', { ...valid, jwks_url: `${issuer.url}/keys` })
    assert.deepEqual([answer.status, answer.body.claim], [200, 'sub'])
    assert.equal((await tested(issuer.accessToken(ann))).person?.value, 'ann')
  })

  test('it notes changes and tests without the token', async () => {
    const token = issuer.accessToken(ann)
    await tested(token)
    const { text } = await ada.get('/audit?limit=5')
    assert.match(text, /test_identity_settings/)
    assert.match(text, /set_identity_settings/)
    assert.ok(!text.includes(token) && !text.includes('Ann@'), text)
    assert.ok(!millrace.lines.join('\n').includes(token))
  })

  test('it does not match a member by an address that the member typed', async () => {
    const email = 'mallory@acme.example'
    const mallory = await joinWorkspace(ada, millrace.url ?? '', { email, role: 'viewer', workspace })
    const source = await ada.post<{ id: string }>('/sources', {
      name: 'wiki',
      type: 'wiki',
      config: { url: 'https://acme.atlassian.net', cloud: true, username: 'a@acme.example', token: 'x' },
    })
    const identities = [
      { email: 'CEO@acme.example', account: '557058:ceo' },
      { email: 'mallory@acme.example', account: '557058:mallory' },
    ]
    const imported = await ada.put('/identities', { source_id: source.body.id, identities })
    assert.equal(imported.status, 200, imported.text)
    const own = async () =>
      (await mallory.get<{ account: string | null }[]>('/identities/own')).body[0]?.account
    assert.equal(await own(), '557058:mallory')
    const change = { email: 'ceo@acme.example', password: 'correct horse battery' }
    assert.equal((await mallory.post('/account/email', change)).status, 200)
    assert.equal(await own(), null)
    const back = { email, password: 'correct horse battery' }
    assert.equal((await mallory.post('/account/email', back)).status, 200)
    assert.equal(await own(), null, 'the own address has to be proved again too')
  })
})
