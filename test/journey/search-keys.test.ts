import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { type ApiResponse, apiOf } from '../world/api.ts'
import { firstAdministrator, joinWorkspace, openPageClient, type PageClient } from '../world/person.ts'
import { destinationConfig, openWorld, type World } from '../world/world.ts'

type Key = { id: string; key: string; scope: string; expires_at: string | null; last_used_at: string | null }
type Token = { id: string; token: string; expires_at: string; person: { name: string } }
type Failure = { code?: string; detail: { msg: string }[] }

describe('search keys and personal tokens', () => {
  let world: World
  let ada: PageClient
  let rita: PageClient
  let workspace: string
  let here: string
  let elsewhere: string

  before(async () => {
    world = await openWorld({ wiki: { seed: 14, pages: 1, spaces: 1, people: 1, groups: 1 } })
    ;({ ada, workspace } = await firstAdministrator(world.millrace))
    const email = 'rita@acme.example'
    rita = await joinWorkspace(ada, world.millrace.url ?? '', { email, role: 'reader', workspace })
    const config = destinationConfig(world)
    const create = async (name: string) =>
      (await world.api.post<{ id: string }>('/destinations', { name, type: 'searchindex', config })).body.id
    here = await create('here')
    elsewhere = await create('elsewhere')
  })
  after(() => world.close())

  const keyOf = async (body: object): Promise<Key> => {
    const answer = await ada.post<Key>('/keys', { name: 'assistant', scope: 'search', ...body })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const tokenOf = async (body: object = {}): Promise<Token> => {
    const answer = await rita.post<Token>('/personal-tokens', { name: 'mine', ...body })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const searchWith = (key: string, body: object = {}, id = here): Promise<ApiResponse<Failure>> =>
    apiOf(world.millrace.url ?? '', key).post(`/destinations/${id}/search`, { query: 'zebra', ...body })
  const refused = async (answer: Promise<ApiResponse<Failure>>, status: number, code?: string) => {
    const { status: found, body, text } = await answer
    assert.equal(found, status, text)
    if (code) assert.equal(body.code, code)
  }
  const as = { user: '557058:b1111111-1111-4111-8111-111111111111' }

  test('it needs a person for every search', async () => {
    const { key } = await keyOf({})
    await refused(searchWith(key), 422)
    await refused(searchWith(key, { as }), 403, 'key_scope')
    await refused(searchWith(key, { as: {} }), 403, 'key_scope')
  })

  test('it lets a key that may impersonate name the person', async () => {
    const { key } = await keyOf({ may_impersonate: true })
    assert.equal((await searchWith(key, { as })).status, 200)
    await refused(searchWith(key), 422)
    const api = apiOf(world.millrace.url ?? '', key)
    assert.equal((await api.get(`/destinations/${here}/tokens?user=${as.user}`)).status, 200)
    const other = apiOf(world.millrace.url ?? '', (await keyOf({})).key)
    await refused(other.get(`/destinations/${here}/tokens?user=${as.user}`), 403, 'key_scope')
  })

  test('it limits a key to its destinations', async () => {
    const { key } = await keyOf({ may_impersonate: true, destination_ids: [here] })
    assert.equal((await searchWith(key, { as })).status, 200)
    await refused(searchWith(key, { as }, elsewhere), 403, 'key_scope')
  })

  test('it keeps a key limited when its only destination is deleted', async () => {
    const config = destinationConfig(world)
    const doomed = await world.api.post<{ id: string }>('/destinations', {
      ...{ name: 'doomed', type: 'searchindex', config },
    })
    const { key } = await keyOf({ may_impersonate: true, destination_ids: [doomed.body.id] })
    assert.equal((await world.api.delete(`/destinations/${doomed.body.id}`)).status, 200)
    await refused(searchWith(key, { as }), 403, 'key_scope')
  })

  test('it refuses limits of a full key, unknown destinations and a past expiry', async () => {
    for (const body of [
      { scope: 'full', may_impersonate: true },
      { scope: 'full', destination_ids: [here] },
      { destination_ids: ['b0000000-0000-4000-8000-00000000000a'] },
      { expires_at: '2020-01-01T00:00:00Z' },
      { expires_at: 'soon' },
      { scope: 'other' },
    ]) {
      const answer = await ada.post('/keys', { name: 'assistant', scope: 'search', ...body })
      assert.equal(answer.status, 422, JSON.stringify(body))
    }
  })

  test('it lists the scope, the expiry and the last use', async () => {
    const expiresAt = new Date(Date.now() + 3600_000).toISOString()
    const { id, key } = await keyOf({ may_impersonate: true, expires_at: expiresAt })
    await searchWith(key, { as })
    const listed = (await ada.get<Key[]>('/keys')).body.find((each) => each.id === id)
    assert.deepEqual([listed?.scope, listed?.expires_at], ['search', expiresAt])
    assert.ok(listed?.last_used_at)
    const entries = (await ada.get<{ items: { action: string; subject: string }[] }>('/audit')).body.items
    const created = entries.find(({ action }) => action === 'create_key')
    assert.equal(created?.subject, `key: ${id}, name: assistant, scope: search, may_impersonate: true`)
  })

  test('it refuses an expired key', async () => {
    const { id, key } = await keyOf({
      ...{ may_impersonate: true, expires_at: new Date(Date.now() + 3600_000).toISOString() },
    })
    await query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [id])
    await refused(searchWith(key, { as }), 401, 'unauthorized')
  })

  test('it searches as the person of a personal token, and no one else', async () => {
    const { token, person } = await tokenOf()
    assert.equal((await searchWith(token)).status, 200)
    await refused(searchWith(token, { as }), 422)
    assert.ok(person.name)
    const entries = (await ada.get<{ items: { action: string; subject: string }[] }>('/audit')).body.items
    const found = entries.find(({ action }) => action === 'search')
    assert.match(found?.subject ?? '', /person: rita@acme\.example/)
  })

  test('it lets no cache keep what a person reads', async () => {
    const { token } = await tokenOf()
    const read = await apiOf(world.millrace.url ?? '', token).get(`/destinations/${here}/documents/a%2F1`)
    for (const { headers } of [read, await searchWith(token)])
      assert.equal(headers.get('cache-control'), 'no-store')
  })

  test('it shows a personal token once and only to its person', async () => {
    const { id } = await tokenOf()
    const own = await rita.get<Token[]>('/personal-tokens')
    assert.ok(own.body.some((each) => each.id === id && !('token' in each)))
    assert.equal((await ada.get<Token[]>('/personal-tokens')).body.length, 0)
    assert.ok((await ada.get<Token[]>('/personal-tokens?of=all')).body.some((each) => each.id === id))
    assert.equal((await rita.get('/personal-tokens?of=all')).status, 403)
    assert.equal((await ada.post(`/keys/${id}/reveal`)).status, 404)
    assert.ok(!(await ada.get<Key[]>('/keys')).body.some((each) => each.id === id))
  })

  test('it limits the expiry of a personal token', async () => {
    for (const expires_in_days of [0, 367, 1.5])
      assert.equal((await rita.post('/personal-tokens', { name: 'mine', expires_in_days })).status, 422)
    const { expires_at: expiresAt } = await tokenOf({ expires_in_days: 1 })
    assert.ok(new Date(expiresAt).getTime() - Date.now() < 25 * 3600_000)
  })

  test('it ends a personal token that is deleted', async () => {
    const { id, token } = await tokenOf()
    assert.equal((await searchWith(token)).status, 200)
    assert.equal((await rita.delete(`/personal-tokens/${id}`)).status, 200)
    await refused(searchWith(token), 401)
    assert.equal((await rita.delete(`/personal-tokens/${id}`)).status, 404)
  })

  test('it restores a key or token for 30 seconds after its deletion', async () => {
    const { id, token } = await tokenOf()
    const key = await keyOf({ may_impersonate: true })
    for (const [by, path, search] of [
      [rita, `/personal-tokens/${id}`, () => searchWith(token)],
      [ada, `/keys/${key.id}`, () => searchWith(key.key, { as })],
    ] as const) {
      assert.equal((await by.post(`${path}/restore`)).status, 404, 'it is not deleted')
      assert.equal((await by.delete(path)).status, 200)
      await refused(search(), 401)
      const restored = await by.post<{ id: string }>(`${path}/restore`)
      assert.equal(restored.status, 200, restored.text)
      assert.ok(path.endsWith(restored.body.id))
      assert.equal((await search()).status, 200)
      assert.equal((await by.post(`${path}/restore`)).status, 404, 'it is restored already')
      await by.delete(path)
      await query(`update deleted_rows set deleted_at = now() - interval '31 seconds'`, [])
      assert.equal((await by.post(`${path}/restore`)).status, 404, 'it is too late')
    }
  })

  test('it restores keys and tokens only for people who may delete them', async () => {
    const url = world.millrace.url ?? ''
    const join = (email: string, role: 'developer' | 'reader') =>
      joinWorkspace(ada, url, { email, role, workspace })
    const [dora, otto] = [
      await join('dora@acme.example', 'developer'),
      await join('otto@acme.example', 'reader'),
    ]
    const { id } = await tokenOf()
    const key = await keyOf({})
    await rita.delete(`/personal-tokens/${id}`)
    await ada.delete(`/keys/${key.id}`)
    assert.equal((await otto.post(`/personal-tokens/${id}/restore`)).status, 404)
    assert.equal((await dora.post(`/keys/${key.id}/restore`)).status, 404)
    const leaked = (await dora.post<Key>('/keys', { name: 'leaked' })).body
    await ada.delete(`/keys/${leaked.id}`)
    assert.equal((await dora.post(`/keys/${leaked.id}/restore`)).status, 404, 'an administrator deleted it')
    assert.equal((await rita.post(`/keys/${key.id}/restore`)).status, 403)
    assert.equal((await ada.post(`/keys/${id}/restore`)).status, 404, 'a token is not a key')
    assert.equal((await ada.post(`/personal-tokens/${key.id}/restore`)).status, 404)
    assert.equal((await ada.post(`/keys/${key.id}/restore`)).status, 200)
    assert.equal((await ada.post(`/personal-tokens/${id}/restore`)).status, 200)
    const elsewhere = await ada.post<{ id: string }>('/workspaces', { name: 'Other' })
    await ada.delete(`/keys/${key.id}`)
    ada.workspace = elsewhere.body.id
    assert.equal((await ada.post(`/keys/${key.id}/restore`)).status, 404, 'of another workspace')
    ada.workspace = workspace
  })

  test('it does not restore the keys of a person who left', async () => {
    const dan = await joinWorkspace(ada, world.millrace.url ?? '', {
      ...{ email: 'dan@acme.example', role: 'developer', workspace },
    })
    const key = (await dan.post<Key>('/keys', { name: 'of Dan' })).body
    await dan.delete(`/keys/${key.id}`)
    assert.equal((await dan.post(`/workspaces/${workspace}/leave`, {})).status, 200)
    assert.equal((await ada.post(`/keys/${key.id}/restore`)).status, 404)
  })

  test('it ends personal tokens with a password that is reset', async () => {
    const email = 'ruth@acme.example'
    const url = world.millrace.url ?? ''
    const ruth = await joinWorkspace(ada, url, { email, role: 'reader', workspace })
    const { token } = (await ruth.post<Token>('/personal-tokens', { name: 'of a thief' })).body
    const { id } = (await ruth.get<{ user: { id: string } }>('/session')).body.user
    const made = await ada.post<{ link: string }>(`/workspaces/${workspace}/members/${id}/reset-link`)
    const path = `/password-resets/${made.body.link.split('/').at(-1)}`
    assert.equal((await openPageClient(url).post(path, { password: 'a long new password' })).status, 200)
    await refused(searchWith(token), 401)
  })

  test('it lets a reader search as themselves in the page', async () => {
    const search = (by: PageClient, body: object) =>
      by.post<Failure>(`/destinations/${here}/search`, { query: 'zebra', ...body })
    assert.equal((await search(rita, {})).status, 200)
    await refused(search(rita, { as }), 403, 'forbidden')
    assert.equal((await search(ada, {})).status, 200)
    assert.equal((await search(ada, { as })).status, 200)
    const listed = await rita.get<{ id: string; name: string; sandbox: boolean }[]>('/search/destinations')
    assert.deepEqual(
      listed.body.map(({ id, name, sandbox }) => [id, name, sandbox]),
      [
        [here, 'here', false],
        [elsewhere, 'elsewhere', false],
      ],
    )
  })

  test('it ends personal tokens with the membership of their person', async () => {
    const { token } = await tokenOf()
    const { body: session } = await rita.get<{ user: { id: string } }>('/session')
    const removed = await ada.delete(`/workspaces/${workspace}/members/${session.user.id}`)
    assert.equal(removed.status, 200, removed.text)
    await until401(() => searchWith(token))
    await joinAgain()
    await refused(searchWith(token), 401)
  })

  /** A key stays in the cache of a process for up to five seconds. */
  async function until401(call: () => Promise<ApiResponse<unknown>>): Promise<void> {
    const end = Date.now() + 60_000
    while ((await call()).status !== 401) assert.ok(Date.now() < end)
  }

  async function joinAgain(): Promise<void> {
    const invitation = await ada.post<{ link: string }>(`/workspaces/${workspace}/invitations`, {
      ...{ email: 'rita@acme.example', role: 'reader' },
    })
    const accepted = await rita.post(`/invitations/${invitation.body.link.split('/').at(-1)}/accept`, {})
    assert.equal(accepted.status, 200, accepted.text)
  }

  async function query(text: string, values: unknown[]): Promise<void> {
    const client = new pg.Client(world.databaseUrl)
    await client.connect()
    await client.query(text, values)
    await client.end()
  }
})
