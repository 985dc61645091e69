import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import {
  firstAdministrator,
  joinWorkspace,
  openPageClient,
  PASSWORD,
  type PageClient,
  type Session,
} from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'

type Problem = { detail: string; code: string }
type Refused = { detail: { loc: string[]; msg: string }[] }
type ListedSession = { id: string; token: string; current: boolean }
type AuditPage = { items: { actor: string; actor_name: string | null; action: string; subject: string }[] }

const NEW_PASSWORD = 'a mill by the water'
const COMMAND = join(import.meta.dirname, '../../src/reset-password.ts')

/** Runs `npm run reset-password`: its exit code and output. */
async function command(args: string[], env: Record<string, string>) {
  const options = { env: { PATH: process.env.PATH ?? '', ...env } }
  return promisify(execFile)(process.execPath, [COMMAND, ...args], options).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { code: number; stderr: string }) => ({ code: error.code, text: error.stderr }),
  )
}
const tokenIn = (text: string) => /\/reset-password\/([\w-]{43})/.exec(text)?.[1] ?? ''

describe('a person’s own account', () => {
  let millrace: Millrace
  let ada: PageClient
  let workspace: string
  let databaseUrl: string
  let drop: () => Promise<void>
  const url = () => millrace.url ?? ''
  before(async () => {
    const database = await migratedDatabase()
    databaseUrl = database.url
    drop = database.drop
    millrace = await startMillrace({ databaseUrl, role: 'api' })
    const first = await firstAdministrator(millrace)
    ada = first.ada
    workspace = first.workspace
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await drop()
  })

  const member = (name: string, role = 'viewer') =>
    joinWorkspace(ada, url(), { email: `${name}@acme.example`, role, workspace })
  const idOf = async (person: PageClient) => (await person.get<Session>('/session')).body.user.id
  const linkFor = async (person: PageClient, by = ada) =>
    by.post<{ link: string } & Problem>(`/workspaces/${workspace}/members/${await idOf(person)}/reset-link`)
  const lastActions = async (limit: number) =>
    (await ada.get<AuditPage>(`/audit?limit=${limit}`)).body.items.map(({ action, actor_name: by }) => [
      action,
      by,
    ])

  test('it changes the name everywhere at once', async () => {
    const bob = await member('bob')
    assert.equal((await bob.patch('/account', { name: '  ' })).status, 422)
    const changed = await bob.patch<Session>('/account', { name: 'Bob Weir' })
    assert.deepEqual([changed.status, changed.body.user.name], [200, 'Bob Weir'])
    assert.equal((await bob.get<Session>('/session')).body.user.name, 'Bob Weir')
    assert.deepEqual(await lastActions(1), [['change_name', 'Bob Weir']])
  })

  test('it marks the current session', async () => {
    const carol = await member('carol')
    const second = openPageClient(url())
    await second.signIn('carol@acme.example', PASSWORD)
    for (const browser of [carol, second]) {
      const { body } = await browser.get<ListedSession[]>('/api/auth/list-sessions')
      const mine = [...browser.cookies.values()][0]?.split('.')[0]
      assert.deepEqual(
        body.filter(({ current }) => current).map(({ token }) => token),
        [mine],
      )
      assert.equal(body.length, 2)
    }
  })

  test('it changes the address with the password and ends other sessions', async () => {
    const dan = await member('dan')
    const elsewhere = openPageClient(url())
    await elsewhere.signIn('dan@acme.example', PASSWORD)
    const change = (email: string, password = PASSWORD) =>
      dan.post<Session & Refused>('/account/email', { email, password })
    const fieldOf = async (answer: ReturnType<typeof change>) => {
      const { status, body } = await answer
      return [status, body.detail?.[0]?.loc.at(-1)]
    }
    assert.deepEqual(await fieldOf(change('daniel@acme.example', 'not mine')), [422, 'password'])
    assert.deepEqual(await fieldOf(change('Ada@acme.example')), [422, 'email'])
    assert.deepEqual(await fieldOf(change('dan@acme.example')), [422, 'email'])
    const pending = (await linkFor(dan)).body.link
    const changed = await change('Daniel@acme.example')
    assert.deepEqual([changed.status, changed.body.user?.email], [200, 'daniel@acme.example'])
    assert.equal((await dan.get('/session')).status, 200)
    assert.equal((await elsewhere.get('/session')).status, 401)
    assert.equal((await openPageClient(url()).get(`/password-resets/${tokenIn(pending)}`)).status, 404)
    assert.equal((await elsewhere.signIn('dan@acme.example', PASSWORD)).status, 401)
    assert.equal((await elsewhere.signIn('daniel@acme.example', PASSWORD)).status, 200)
    assert.deepEqual((await lastActions(1))[0]?.[0], 'change_email')
    for (let tries = 0; tries < 10; tries++) await change('x@acme.example', 'a guess')
    const limited = await change('x@acme.example', PASSWORD)
    assert.equal(limited.status, 429)
    assert.ok(Number(limited.headers.get('retry-after')) > 60)
  })

  test('it gives a contested address to only one of two requests', async () => {
    const pia = await member('pia')
    const email = 'contested@acme.example'
    const other = new pg.Client(databaseUrl)
    await other.connect()
    try {
      await other.query('begin')
      await other.query(`insert into auth_users (email, name, email_verified) values ($1, 'Other', true)`, [
        email,
      ])
      const changing = pia.post<Refused>('/account/email', { email, password: PASSWORD })
      const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
      const deadline = Date.now() + 60_000
      const isWaitedFor = async () =>
        (
          await other.query<{ is: boolean }>(
            'select exists (select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))) as is',
            [rows[0]?.pid],
          )
        ).rows[0]?.is
      while (!(await isWaitedFor())) assert.ok(Date.now() < deadline, 'the change waits for the other')
      await other.query('commit')
      const { status, body } = await changing
      assert.deepEqual([status, body.detail?.[0]?.loc], [422, ['body', 'email']])
    } finally {
      await other.end()
    }
    assert.equal((await pia.get<Session>('/session')).body.user.email, 'pia@acme.example')
  })

  test('it ends the reset link and other sessions after a password change', async () => {
    const quin = await member('quin')
    const elsewhere = openPageClient(url())
    await elsewhere.signIn('quin@acme.example', PASSWORD)
    const pending = `/password-resets/${tokenIn((await linkFor(quin)).body.link)}`
    const change = { currentPassword: 'not mine', newPassword: NEW_PASSWORD }
    assert.equal((await quin.post('/api/auth/change-password', change)).status, 422)
    assert.equal((await openPageClient(url()).get(pending)).status, 200)
    const right = { ...change, currentPassword: PASSWORD }
    assert.equal((await quin.post('/api/auth/change-password', right)).status, 200)
    assert.equal((await openPageClient(url()).get(pending)).status, 404)
    assert.equal((await elsewhere.get('/session')).status, 401)
    assert.equal((await quin.get('/session')).status, 200)
  })

  test('it resets a password once by an administrator link and ends all sessions', async () => {
    const erin = await member('erin', 'developer')
    const made = await linkFor(erin)
    assert.equal(made.status, 201, made.text)
    assert.match(made.body.link, new RegExp(`^${url()}/reset-password/[\\w-]{43}$`))
    const replaced = tokenIn(made.body.link)
    const token = tokenIn((await linkFor(erin)).body.link)
    const visitor = openPageClient(url())
    const path = `/password-resets/${token}`
    assert.equal((await visitor.get(`/password-resets/${replaced}`)).status, 404)
    assert.deepEqual((await visitor.get(path)).body, { email: 'erin@acme.example' })
    for (const password of ['eleven char', 'x'.repeat(129)]) {
      const { status, body } = await visitor.post<Refused>(path, { password })
      assert.deepEqual([status, body.detail[0]?.loc], [422, ['body', 'password']])
      assert.match(body.detail[0]?.msg ?? '', /^a password should have at (least 12|most 128) characters$/)
    }
    const used = await Promise.all(
      [1, 2, 3].map(() => openPageClient(url()).post<Session>(path, { password: NEW_PASSWORD })),
    )
    assert.deepEqual(used.map(({ status }) => status).sort(), [200, 404, 404])
    assert.equal((await erin.get('/session')).status, 401)
    assert.equal((await visitor.signIn('erin@acme.example', PASSWORD)).status, 401)
    assert.equal((await visitor.signIn('erin@acme.example', NEW_PASSWORD)).status, 200)
    assert.deepEqual(await lastActions(3), [
      ['reset_password', 'erin@acme.example'],
      ['make_reset_link', 'Ada'],
      ['make_reset_link', 'Ada'],
    ])
  })

  test('it expires a reset link after 30 minutes and stores only its hash', async () => {
    const fred = await member('fred')
    const token = tokenIn((await linkFor(fred)).body.link)
    const client = new pg.Client(databaseUrl)
    await client.connect()
    const { rows } = await client.query<{ whole: string; minutes: number }>(
      `select r::text as whole, extract(epoch from expires_at - now())::float / 60 as minutes from password_resets r
       where user_id = $1`,
      [await idOf(fred)],
    )
    assert.ok(rows[0] && !rows[0].whole.includes(token) && rows[0].minutes > 29 && rows[0].minutes <= 30)
    await client.query(`update password_resets set expires_at = now()`)
    await client.end()
    const late = await openPageClient(url()).post<Problem>(`/password-resets/${token}`, {
      password: NEW_PASSWORD,
    })
    assert.deepEqual([late.status, late.body.code], [404, 'not_found'])
  })

  test('it refuses a reset by an administrator of only some workspaces', async () => {
    const other = await ada.post<{ id: string }>('/workspaces', { name: 'Other' })
    const gina = await member('gina', 'administrator')
    const invited = await ada.post<{ link: string }>(`/workspaces/${other.body.id}/invitations`, {
      email: 'gina@acme.example',
      role: 'viewer',
    })
    await gina.post(`/invitations/${invited.body.link.split('/').at(-1)}/accept`, {})
    const hal = await member('hal', 'administrator')
    for (const [person, by, status] of [
      [gina, hal, 403],
      [ada, hal, 403],
      [ada, ada, 409],
      [gina, ada, 201],
      [hal, gina, 201],
    ] as const) {
      const answer = await linkFor(person, by)
      assert.equal(answer.status, status, answer.text)
    }
  })

  test('it refuses a link whose creator lost the permission', async () => {
    const [lena, max] = [await member('lena', 'administrator'), await member('max')]
    const usable = async (link: string) => {
      const path = `/password-resets/${tokenIn(link)}`
      const shown = (await openPageClient(url()).get(path)).status
      return [shown, (await openPageClient(url()).post(path, { password: NEW_PASSWORD })).status]
    }
    const roleOf = (person: string, role: string) =>
      ada.put(`/workspaces/${workspace}/members/${person}`, { role })
    const lenasId = await idOf(lena)
    const ofDemoted = (await linkFor(max, lena)).body.link
    assert.equal((await roleOf(lenasId, 'viewer')).status, 200)
    assert.equal((await roleOf(lenasId, 'administrator')).status, 200)
    assert.deepEqual(await usable(ofDemoted), [404, 404], 'the link stays invalid after the role returns')

    const wider = (await linkFor(max, lena)).body.link
    const other = await ada.post<{ id: string }>('/workspaces', { name: 'Not of Lena' })
    const there = `/workspaces/${other.body.id}`
    const invited = await ada.post<{ link: string }>(`${there}/invitations`, {
      email: 'max@acme.example',
      role: 'viewer',
    })
    await max.post(`/invitations/${invited.body.link.split('/').at(-1)}/accept`, {})
    assert.deepEqual(await usable(wider), [404, 404], 'he has more workspaces now')

    const mine = (await linkFor(max)).body.link
    assert.equal((await ada.delete(`${there}/members/${await idOf(max)}`)).status, 200)
    const ofRemoved = (await linkFor(max, lena)).body.link
    assert.deepEqual(await usable(mine), [404, 404], 'replaced')
    assert.equal((await ada.delete(`/workspaces/${workspace}/members/${await idOf(max)}`)).status, 200)
    assert.deepEqual(await usable(ofRemoved), [404, 404], 'she no longer administers him')
    assert.equal((await max.get('/session')).status, 200, 'his password is not set')
  })

  test('it resets a password from the command line while the service runs', async () => {
    const ivan = await member('ivan')
    const env = { DATABASE_URL: databaseUrl, PORT: new URL(url()).port }
    const printed = await command(['Ivan@acme.example'], env)
    assert.equal(printed.code, 0, printed.text)
    const link = /http:\S+/.exec(printed.text)?.[0] ?? ''
    assert.ok(link.startsWith(`${url()}/reset-password/`), printed.text)
    const used = await openPageClient(url()).post(`/password-resets/${tokenIn(link)}`, {
      password: NEW_PASSWORD,
    })
    assert.equal(used.status, 200, used.text)
    assert.equal((await ivan.get('/session')).status, 401)
    const { items } = (await ada.get<AuditPage>('/audit?limit=2')).body
    assert.deepEqual(
      items.map(({ action, actor }) => [action, actor.split(':')[0]]),
      [
        ['reset_password', 'person'],
        ['make_reset_link', 'operator'],
      ],
    )
    const unknown = await command(['nobody@acme.example'], env)
    assert.deepEqual(unknown, {
      code: 1,
      text: 'millrace: no account has the address nobody@acme.example\n',
    })
    for (const args of [[], ['ada'], ['a@b.example', 'c@d.example']])
      assert.equal((await command(args, env)).code, 2, args.join())
  })

  test('it requires passwords of 12 to 128 characters and names the field', async () => {
    const jane = await member('jane')
    for (const newPassword of ['short', 'x'.repeat(129)]) {
      const body = { currentPassword: PASSWORD, newPassword }
      const answer = await jane.post<Refused>('/api/auth/change-password', body)
      assert.deepEqual([answer.status, answer.body.detail[0]?.loc], [422, ['body', 'newPassword']])
      assert.match(
        answer.body.detail[0]?.msg ?? '',
        /^a password should have at (least 12|most 128) characters$/,
      )
    }
    const longest = { currentPassword: PASSWORD, newPassword: 'x'.repeat(128) }
    assert.equal((await jane.post('/api/auth/change-password', longest)).status, 200)
    assert.equal((await openPageClient(url()).signIn('jane@acme.example', 'x'.repeat(128))).status, 200)
    const endless = await openPageClient(url()).signIn('jane@acme.example', 'x'.repeat(1025))
    assert.equal(endless.status, 422)
  })
})

test('it shares the embedded database with the service and creates none', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-reset-'))
  const env = { MILLRACE_DATA_DIR: dataDir }
  try {
    const none = await command(['ada@acme.example'], env)
    assert.deepEqual(
      [none.code, none.text],
      [
        2,
        `millrace: there is no database in ${dataDir}; set MILLRACE_DATA_DIR or DATABASE_URL as for npm start\n`,
      ],
    )
    const setup = { MILLRACE_SETUP_EMAIL: 'ada@acme.example', MILLRACE_SETUP_PASSWORD: PASSWORD }
    const millrace = await startMillrace({ env: { ...env, ...setup } })
    try {
      const printed = await command(['ada@acme.example'], env)
      assert.equal(printed.code, 0, printed.text)
      const ada = openPageClient(millrace.url ?? '')
      const used = await ada.post(`/password-resets/${tokenIn(printed.text)}`, { password: NEW_PASSWORD })
      assert.equal(used.status, 200, used.text)
      assert.equal((await ada.get('/session')).status, 200, 'the database is still there')
    } finally {
      await millrace.end('SIGTERM')
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
