import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import pg from 'pg'
import { apiOf } from '../world/api.ts'
import { CLIENT, type Claims, type Issuer, startIssuer } from '../world/issuer.ts'
import {
  firstAdministrator,
  joinWorkspace,
  openPageClient,
  PASSWORD,
  type PageClient,
  type Session,
  waitForSetupToken,
} from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'

const known = (name: string): Claims => ({
  sub: `sub-of-${name}`,
  email: `${name}@acme.example`,
  email_verified: true,
  name,
})

function environment(issuer: Issuer): Record<string, string> {
  return {
    MILLRACE_OIDC_ISSUER: issuer.url,
    MILLRACE_OIDC_CLIENT_ID: CLIENT.id,
    MILLRACE_OIDC_CLIENT_SECRET: CLIENT.secret,
  }
}

/** Signs in at the identity provider and returns where the browser ends up. */
async function signInOutside(person: PageClient, issuer: Issuer, more: object = {}): Promise<string> {
  const body = { providerId: 'oidc', callbackURL: '/w', ...more }
  const { body: answer, status, text } = await person.post<{ url: string }>('/api/auth/sign-in/oauth2', body)
  assert.equal(status, 200, text)
  const back = await issuer.visit(answer.url)
  return followCallback(person, back)
}

async function followCallback(person: PageClient, back: URL): Promise<string> {
  const returned = await person.get(back.pathname + back.search)
  assert.equal(returned.status, 302, returned.text)
  return returned.headers.get('location') ?? ''
}

describe('signing in through an identity provider', () => {
  let issuer: Issuer
  let millrace: Millrace
  let ada: PageClient
  let workspace: string
  let databaseUrl: string
  let drop: () => Promise<void>
  const url = () => millrace.url ?? ''
  before(async () => {
    issuer = await startIssuer()
    const database = await migratedDatabase()
    databaseUrl = database.url
    drop = database.drop
    millrace = await startMillrace({ databaseUrl, allowedHosts: [issuer.host], env: environment(issuer) })
    const first = await firstAdministrator(millrace)
    ada = first.ada
    workspace = first.workspace
  })
  beforeEach(() => {
    issuer.claimOverrides = {}
    issuer.usesUnknownKey = false
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await issuer.stop()
    await drop()
  })
  const invite = (email: string, role = 'operator') =>
    ada.post(`/workspaces/${workspace}/invitations`, { email, role })
  const makeSource = async (name: string) => {
    const config = { url: 'https://acme.atlassian.net', cloud: true, username: 'a@acme.example', token: 'x' }
    return (await ada.post<{ id: string }>('/sources', { name, type: 'wiki', config })).body.id
  }
  const accountOf = async (person: PageClient, sourceId: string) => {
    person.workspace = workspace
    const { body } = await person.get<{ source_id: string; account: string | null }[]>('/identities/own')
    return body.find((each) => each.source_id === sourceId)?.account
  }

  test('it announces the provider and sends no request before a sign-in', async () => {
    assert.deepEqual((await ada.get('/setup')).body, { needed: false, oidc: true })
    assert.deepEqual(issuer.requests, [])
  })

  test('it refuses people without an invitation', async () => {
    const stranger = openPageClient(url())
    issuer.person = known('stranger')
    assert.equal(
      await signInOutside(stranger, issuer),
      '/sign-in?error=not_invited&error_description=not_invited',
    )
    assert.equal((await stranger.get('/session')).status, 401)
  })

  test('it admits people without an invitation as readers where a workspace allows it', async () => {
    const path = `/workspaces/${workspace}`
    assert.equal((await ada.patch(path, { admits_readers: true })).status, 200)
    issuer.person = known('rosa')
    const rosa = openPageClient(url())
    assert.equal(await signInOutside(rosa, issuer), '/w')
    const { workspaces, user } = (await rosa.get<Session>('/session')).body
    assert.deepEqual(
      workspaces.map(({ id, role }) => [id, role]),
      [[workspace, 'reader']],
    )
    assert.equal((await ada.delete(`${path}/members/${user.id}`)).status, 200)
    await signInOutside(rosa, issuer)
    assert.deepEqual((await rosa.get<Session>('/session')).body.workspaces, [], 'a removed member stays out')
    assert.equal((await ada.patch(path, { admits_readers: false })).status, 200)
    issuer.person = known('sven')
    assert.match(await signInOutside(openPageClient(url()), issuer), /error=not_invited/)
  })

  test('it admits an invited person with their role, repeatedly', async () => {
    await invite('Bob@acme.example', 'operator')
    issuer.person = known('bob')
    const bob = openPageClient(url())
    assert.equal(await signInOutside(bob, issuer), '/w')
    const { body } = await bob.get<Session>('/session')
    assert.deepEqual(
      [body.user.email, body.workspaces.map(({ role }) => role), body.organisation?.name],
      ['bob@acme.example', ['operator'], 'Acme'],
    )
    const again = openPageClient(url())
    assert.equal(await signInOutside(again, issuer), '/w')
    assert.equal((await again.get<Session>('/session')).body.user.id, body.user.id)
    const change = { currentPassword: PASSWORD, newPassword: 'a long new password' }
    assert.equal((await bob.post('/api/auth/change-password', change)).status, 409)
    assert.equal((await openPageClient(url()).signIn('bob@acme.example', PASSWORD)).status, 401)
  })

  test('it signs a person with a password into their account', async () => {
    issuer.person = known('ada')
    const other = openPageClient(url())
    assert.equal(await signInOutside(other, issuer), '/w')
    const mine = await ada.get<Session>('/session')
    assert.deepEqual((await other.get<Session>('/session')).body, mine.body)
    assert.equal((await openPageClient(url()).signIn('ada@acme.example', PASSWORD)).status, 200)
  })

  test('it revokes password access that another person set up for an invited address', async () => {
    const email = 'gina@acme.example'
    const thief = await joinWorkspace(ada, url(), { email, role: 'viewer', workspace })
    issuer.person = known('gina')
    const gina = openPageClient(url())
    assert.equal(await signInOutside(gina, issuer), '/w')
    assert.equal((await gina.get('/session')).status, 200)
    assert.equal((await thief.get('/session')).status, 401)
    assert.notEqual((await openPageClient(url()).signIn(email, PASSWORD)).status, 200)
  })

  test('it revokes keys, invitations and reset links of that access', async () => {
    const email = 'nils@acme.example'
    const thief = await joinWorkspace(ada, url(), { email, role: 'administrator', workspace })
    const victim = await joinWorkspace(ada, url(), { email: 'olga@acme.example', role: 'viewer', workspace })
    const key = (await thief.post<{ key: string }>('/keys', { name: 'of the thief' })).body.key
    const members = `/workspaces/${workspace}/members`
    const { id } = (await victim.get<Session>('/session')).body.user
    const made = [
      await thief.post<{ link: string }>(`/workspaces/${workspace}/invitations`, {
        email: 'accomplice@acme.example',
        role: 'administrator',
      }),
      await thief.post<{ link: string }>(`${members}/${id}/reset-link`),
    ].map(({ body }) => body.link.split('/').at(-1))
    const opens = () =>
      Promise.all(
        [`/invitations/${made[0]}`, `/password-resets/${made[1]}`].map(
          async (path) => (await openPageClient(url()).get(path)).status,
        ),
      )
    assert.deepEqual(await opens(), [200, 200])
    issuer.person = known('nils')
    assert.equal(await signInOutside(openPageClient(url()), issuer), '/w')
    assert.deepEqual(await opens(), [404, 404])
    assert.equal((await apiOf(url(), key).get('/sources')).status, 401)
    const { body } = await ada.get<{ items: { action: string; subject: string }[] }>('/audit?limit=3')
    assert.deepEqual(
      body.items.map(({ action }) => action),
      ['end_password', 'take_back_invitation', 'disable_key'],
    )
  })

  test('it ends the wiki accounts that the other person linked', async () => {
    const email = 'lena@acme.example'
    const thief = await joinWorkspace(ada, url(), { email, role: 'reader', workspace })
    const sourceId = await makeSource('linked')
    const { id } = (await thief.get<Session>('/session')).body.user
    const client = new pg.Client(databaseUrl)
    await client.connect()
    await client.query(
      `insert into identities (workspace_id, source_id, kind, value, account, origin)
       values ($1, $2, 'member', $3, '557058:thief', 'link')`,
      [workspace, sourceId, id],
    )
    await client.end()
    assert.equal(await accountOf(thief, sourceId), '557058:thief')
    issuer.person = known('lena')
    const lena = openPageClient(url())
    assert.equal(await signInOutside(lena, issuer), '/w')
    assert.equal(await accountOf(lena, sourceId), null)
  })

  test('it matches no wiki account by an address that the provider has given away', async () => {
    const sourceId = await makeSource('matched')
    const identities = [
      { email: 'jana@acme.example', account: '557058:jana' },
      { email: 'jana.new@acme.example', account: '557058:another' },
    ]
    assert.equal((await ada.put('/identities', { source_id: sourceId, identities })).status, 200)
    await invite('jana@acme.example', 'reader')
    const signInAs = async (claims: Partial<Claims>) => {
      issuer.person = { ...known('jana'), ...claims }
      const jana = openPageClient(url())
      assert.equal(await signInOutside(jana, issuer), '/w')
      return accountOf(jana, sourceId)
    }
    assert.equal(await signInAs({}), '557058:jana')
    assert.equal(await signInAs({ email: 'jana.new@acme.example' }), null)
    assert.equal(await signInAs({}), '557058:jana', 'proved again')
    assert.equal(await signInAs({ email: 'jana.new@acme.example', email_verified: false }), null)
    assert.equal(await signInAs({ email_verified: false }), null)
  })

  test('it refuses an address that the provider has not verified', async () => {
    await invite('carol@acme.example')
    for (const claims of [
      { ...known('carol'), email_verified: false },
      { sub: 'sub-of-eve', email: 'carol@acme.example' },
      { ...known('ada'), sub: 'sub-of-eve', email_verified: false },
    ]) {
      issuer.person = claims
      const person = openPageClient(url())
      assert.match(await signInOutside(person, issuer), /error=(email_not_verified|account_not_linked)/)
      assert.equal((await person.get('/session')).status, 401)
    }
  })

  test('it refuses forged, expired, foreign and replayed tokens', async () => {
    issuer.person = known('ada')
    const wrongTokens: [string, () => void][] = [
      [
        'forged',
        () => {
          issuer.usesUnknownKey = true
        },
      ],
      [
        'old',
        () => {
          issuer.claimOverrides = { exp: Math.floor(Date.now() / 1000) - 600 }
        },
      ],
      [
        'for another',
        () => {
          issuer.claimOverrides = { aud: 'another-client' }
        },
      ],
      [
        'from another',
        () => {
          issuer.claimOverrides = { iss: 'https://evil.example' }
        },
      ],
      [
        'to another question',
        () => {
          issuer.claimOverrides = { nonce: 'another' }
        },
      ],
      [
        'to no question',
        () => {
          issuer.claimOverrides = { nonce: undefined }
        },
      ],
    ]
    for (const [what, apply] of wrongTokens) {
      issuer.claimOverrides = {}
      issuer.usesUnknownKey = false
      apply()
      const person = openPageClient(url())
      assert.match(await signInOutside(person, issuer), /^\/sign-in\?error=/, what)
      assert.equal((await person.get('/session')).status, 401, what)
    }
  })

  test('it accepts a callback once, in the same browser, to its own pages', async () => {
    issuer.person = known('ada')
    const leaving = openPageClient(url())
    const body = { providerId: 'oidc', callbackURL: '/w' }
    const left = await leaving.post<{ url: string }>('/api/auth/sign-in/oauth2', body)
    const back = await issuer.visit(left.body.url)
    const victim = openPageClient(url())
    assert.match(await followCallback(victim, back), /^\/sign-in\?error=/)
    assert.equal((await victim.get('/session')).status, 401)

    const again = await leaving.post<{ url: string }>('/api/auth/sign-in/oauth2', body)
    const way = await issuer.visit(again.body.url)
    assert.equal(await followCallback(leaving, way), '/w')
    assert.match(await followCallback(leaving, way), /^\/sign-in\?error=/)

    assert.match(
      await followCallback(victim, new URL(`${url()}/api/auth/callback/oidc?code=x&state=y`)),
      /error=/,
    )
    for (const callbackURL of ['https://evil.example/', '//evil.example', '/\\evil.example'])
      assert.equal(
        (await leaving.post('/api/auth/sign-in/oauth2', { ...body, callbackURL })).status,
        422,
        callbackURL,
      )
    assert.equal(
      (await leaving.post('/api/auth/sign-in/oauth2', { ...body, providerId: 'github' })).status,
      422,
    )
  })

  test('it gives an invitation to the current owner of an address only', async () => {
    await invite('dora@acme.example', 'viewer')
    issuer.person = known('dora')
    const dora = openPageClient(url())
    assert.equal(await signInOutside(dora, issuer), '/w')
    const made = await ada.post<{ id: string }>('/workspaces', { name: 'For whoever is Dora now' })
    const elsewhere = `/workspaces/${made.body.id}/invitations`
    for (const email of ['dora@acme.example', 'dora.brook@acme.example'])
      await ada.post(elsewhere, { email, role: 'developer' })
    const roles = async (person: PageClient) =>
      (await person.get<Session>('/session')).body.workspaces.map(({ role }) => role)

    issuer.person = { ...known('dora'), email_verified: false }
    const unproved = openPageClient(url())
    assert.equal(await signInOutside(unproved, issuer), '/w')
    assert.deepEqual(await roles(unproved), ['viewer'])

    issuer.person = { ...known('dora'), email: 'dora.b@acme.example' }
    assert.equal(await signInOutside(unproved, issuer), '/w')
    assert.deepEqual(await roles(unproved), ['viewer'], 'her previous address proves nothing')

    issuer.person = { ...known('dora'), email: 'dora.brook@acme.example' }
    assert.equal(await signInOutside(unproved, issuer), '/w')
    assert.deepEqual(await roles(unproved), ['viewer', 'developer'])
    const left = await ada.get<{ email: string }[]>(elsewhere)
    assert.deepEqual(
      left.body.map(({ email }) => email),
      ['dora@acme.example'],
    )
  })

  test('it refuses a second identity for a linked account', async () => {
    await invite('eric@acme.example')
    issuer.person = known('eric')
    assert.equal(await signInOutside(openPageClient(url()), issuer), '/w')
    issuer.person = { ...known('eric'), sub: 'sub-of-the-next-eric' }
    const next = openPageClient(url())
    assert.match(await signInOutside(next, issuer), /^\/sign-in\?error=linked_to_another/)
    assert.equal((await next.get('/session')).status, 401)
  })

  test('it opens no account for an address that was entered by hand', async () => {
    const ines = await joinWorkspace(ada, url(), { email: 'ines@acme.example', role: 'viewer', workspace })
    const email = 'lars@acme.example'
    assert.equal((await ines.post('/account/email', { email, password: PASSWORD })).status, 200)
    issuer.person = known('lars')
    const lars = openPageClient(url())
    assert.match(await signInOutside(lars, issuer), /^\/sign-in\?error=address_changed/)
    assert.equal((await lars.get('/session')).status, 401)
    assert.equal((await ines.get('/session')).status, 200)
  })

  test('it admits simultaneous callbacks of one person', async () => {
    await joinWorkspace(ada, url(), { email: 'hans@acme.example', role: 'viewer', workspace })
    await invite('frida@acme.example', 'developer')
    for (const [name, role] of [
      ['frida', 'developer'],
      ['hans', 'viewer'],
    ] as const) {
      issuer.person = known(name)
      const browsers = await Promise.all(
        [1, 2, 3, 4].map(async () => {
          const browser = openPageClient(url())
          const body = { providerId: 'oidc', callbackURL: '/w' }
          const left = await browser.post<{ url: string }>('/api/auth/sign-in/oauth2', body)
          return { browser, back: await issuer.visit(left.body.url) }
        }),
      )
      const ended = await Promise.all(browsers.map(({ browser, back }) => followCallback(browser, back)))
      assert.deepEqual(ended, ['/w', '/w', '/w', '/w'], name)
      const sessions = await Promise.all(browsers.map(({ browser }) => browser.get<Session>('/session')))
      for (const { status, body } of sessions) {
        assert.equal(status, 200, name)
        assert.deepEqual(
          body.workspaces.map((each) => each.role),
          [role],
        )
      }
      assert.equal(new Set(sessions.map(({ body }) => body.user.id)).size, 1, name)
    }
  })

  test('it reads the issuer metadata once for all own addresses', async () => {
    const { host } = new URL(url())
    const secure = { 'x-forwarded-proto': 'https', origin: `https://${host}` }
    const left = await openPageClient(url()).call<{ url: string }>('POST', '/api/auth/sign-in/oauth2', {
      body: { providerId: 'oidc' },
      headers: secure,
    })
    const redirect = new URL(left.body.url).searchParams.get('redirect_uri')
    assert.equal(redirect, `https://${host}/api/auth/callback/oidc`)
    const asked = issuer.requests.filter((each) => each.includes('openid-configuration'))
    assert.equal(asked.length, 1)
  })

  test('it stores no provider token and logs no secret', async () => {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    try {
      const { rows } = await client.query<{ whole: string }>(
        `select string_agg(a::text, ' ') as whole from auth_accounts a where provider_id = 'oidc'`,
      )
      assert.match(rows[0]?.whole ?? '', /sub-of-bob/)
      assert.doesNotMatch(rows[0]?.whole ?? '', /an-access-token|eyJ/)
    } finally {
      await client.end()
    }
    assert.ok(
      !millrace.lines.some((line) => line.includes(CLIENT.secret) || line.includes('an-access-token')),
    )
  })
})

test('it admits the first person through the provider only with the set-up link', async () => {
  const issuer = await startIssuer()
  const database = await migratedDatabase()
  const millrace = await startMillrace({
    databaseUrl: database.url,
    allowedHosts: [issuer.host],
    env: environment(issuer),
  })
  try {
    const ada = openPageClient(millrace.url ?? '')
    issuer.person = known('ada')
    assert.match(await signInOutside(ada, issuer), /error=not_invited/)
    assert.match(await signInOutside(ada, issuer, { setup_token: 'x'.repeat(43) }), /error=not_invited/)
    const token = await waitForSetupToken(millrace)
    assert.equal(await signInOutside(ada, issuer, { setup_token: token }), '/w')
    const { body } = await ada.get<Session>('/session')
    assert.deepEqual([body.tier, body.workspaces.map(({ role }) => role)], ['personal', ['administrator']])
    assert.deepEqual((await ada.get('/setup')).body, { needed: false, oidc: true })
    issuer.person = known('bob')
    assert.match(
      await signInOutside(openPageClient(millrace.url ?? ''), issuer, { setup_token: token }),
      /not_invited/,
    )
  } finally {
    await millrace.end('SIGTERM')
    await issuer.stop()
    await database.drop()
  }
})

test('it sends no request to a refused issuer and keeps running', async () => {
  const issuer = await startIssuer()
  const database = await migratedDatabase()
  const millrace = await startMillrace({ databaseUrl: database.url, env: environment(issuer) })
  try {
    const ada = openPageClient(millrace.url ?? '')
    const refused = await ada.post<{ code: string }>('/api/auth/sign-in/oauth2', { providerId: 'oidc' })
    assert.equal(refused.status, 502, refused.text)
    assert.deepEqual(issuer.requests, [])
    assert.equal((await ada.get('/setup')).status, 200)
  } finally {
    await millrace.end('SIGTERM')
    await issuer.stop()
    await database.drop()
  }
})
