import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { apiOf } from '../world/api.ts'
import { firstAdministrator, joinWorkspace, type PageClient, type Session } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'

type Problem = { detail: string; code: string }
type Key = { id: string; key: string }
type AuditPage = { items: { actor_name: string | null; action: string; subject: string }[] }

/** What ends when a person loses a role or is removed. Without a worker, so that no job ends by itself. */
describe('removing, demoting and leaving', () => {
  let millrace: Millrace
  let ada: PageClient
  let workspace: string
  let drop: () => Promise<void>
  let databaseUrl: string
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

  const idOf = async (person: PageClient) => (await person.get<Session>('/session')).body.user.id
  const member = async (person: PageClient, more = '') =>
    `/workspaces/${workspace}/members/${await idOf(person)}${more}`
  const developer = async (name: string) => {
    const person = await joinWorkspace(ada, url(), {
      email: `${name}@acme.example`,
      role: 'developer',
      workspace,
    })
    const made = await person.post<Key>('/keys', { name: `of ${name}` })
    assert.equal(made.status, 201, made.text)
    return { person, key: made.body }
  }
  const works = async ({ key }: Key) => (await apiOf(url(), key).get('/sources')).status === 200
  const audited = async (limit: number) =>
    (await ada.get<AuditPage>(`/audit?limit=${limit}`)).body.items.map(({ action, subject }) => [
      action,
      ...subject.split(', ').sort(),
    ])

  test('it disables the keys of a removed member at once, with a count and an audit entry', async () => {
    const removed = await developer('bob')
    const demoted = await developer('carol')
    const other = await developer('dan')
    assert.ok(await works(removed.key))
    const counted = await ada.get(await member(removed.person, '/keys'))
    assert.deepEqual(counted.body, [{ workspace_id: workspace, workspace: 'First workspace', keys: 1 }])

    assert.equal((await ada.delete(await member(removed.person))).status, 200)
    assert.ok(!(await works(removed.key)))
    assert.deepEqual(await audited(2), [
      ['remove_member', 'keys_disabled: 1', 'member: bob@acme.example', 'was: developer'],
      ['disable_key', `key: ${removed.key.id}`, 'name: of bob'],
    ])

    const path = await member(demoted.person)
    assert.equal((await ada.put(path, { role: 'administrator' })).status, 200)
    assert.ok(await works(demoted.key), 'people who may create keys keep them')
    assert.equal((await ada.put(path, { role: 'developer' })).status, 200)
    assert.ok(await works(demoted.key))
    assert.equal((await ada.put(path, { role: 'operator' })).status, 200)
    assert.ok(!(await works(demoted.key)))
    assert.deepEqual((await ada.get(await member(demoted.person, '/keys'))).body, [])
    assert.ok(await works(other.key), 'a key of another person')
  })

  test('it keeps keys that an administrator chooses to keep', async () => {
    const [demoted, removed] = [await developer('erin'), await developer('fred')]
    const role = { role: 'viewer', disable_keys: false }
    assert.equal((await ada.put(await member(demoted.person), role)).status, 200)
    assert.equal((await ada.delete(await member(removed.person, '?disable_keys=false'))).status, 200)
    assert.ok((await works(demoted.key)) && (await works(removed.key)))
    assert.equal((await ada.delete(await member(demoted.person, '?disable_keys=maybe'))).status, 422)
  })

  test('it shows the key count to administrators only', async () => {
    const gina = await developer('gina')
    const elsewhere = await ada.post<{ id: string }>('/workspaces', { name: 'Elsewhere' })
    await ada.post(`/workspaces/${elsewhere.body.id}/invitations`, {
      email: 'gina@acme.example',
      role: 'developer',
    })
    const link = await ada.post<{ link: string }>(`/workspaces/${elsewhere.body.id}/invitations`, {
      email: 'gina@acme.example',
      role: 'developer',
    })
    await gina.person.post(`/invitations/${link.body.link.split('/').at(-1)}/accept`, {})
    gina.person.workspace = elsewhere.body.id
    const second = await gina.person.post<Key>('/keys', { name: 'elsewhere' })
    const hal = await joinWorkspace(ada, url(), {
      email: 'hal@acme.example',
      role: 'administrator',
      workspace,
    })
    const path = await member(gina.person)
    const names = async (by: PageClient) =>
      (await by.get<{ workspace: string; keys: number }[]>(`${path}/keys`)).body.map((each) => each.workspace)
    assert.deepEqual(await names(ada), ['First workspace', 'Elsewhere'])
    assert.deepEqual(await names(hal), ['First workspace'])
    assert.equal((await hal.delete(path)).status, 200)
    assert.ok(!(await works(gina.key)))
    assert.ok(await works(second.body), 'she is still a member there')
    assert.equal((await ada.delete(await member(hal))).status, 200)
  })

  test('it lets members leave a workspace or all, except the last administrator', async () => {
    const leave = (person: PageClient, body?: object) =>
      person.post<Problem>(`/workspaces/${workspace}/leave`, body)
    const last = await leave(ada)
    assert.deepEqual([last.status, last.body.code], [409, 'not_possible'])
    assert.match((await ada.post<Problem>('/organisation/leave')).body.detail, /last administrator/)

    const { person: ivan, key } = await developer('ivan')
    assert.equal((await leave(ivan)).status, 200)
    assert.ok(!(await works(key)))
    assert.equal((await leave(ivan)).status, 404)
    assert.deepEqual((await ivan.get<Session>('/session')).body.workspaces, [])
    assert.deepEqual(await audited(1), [
      ['leave_workspace', 'keys_disabled: 1', 'member: ivan@acme.example', 'was: developer'],
    ])

    const { person: jane, key: hers } = await developer('jane')
    const made = await ada.post<{ id: string }>('/workspaces', { name: 'Of Jane' })
    const there = `/workspaces/${made.body.id}`
    const invited = await ada.post<{ link: string }>(`${there}/invitations`, {
      email: 'jane@acme.example',
      role: 'administrator',
    })
    await jane.post(`/invitations/${invited.body.link.split('/').at(-1)}/accept`, {})
    assert.equal((await ada.post(`${there}/leave`)).status, 200)
    const stuck = await jane.post<Problem>('/organisation/leave')
    assert.deepEqual([stuck.status, stuck.body.code], [409, 'not_possible'])
    assert.match(stuck.body.detail, /last administrator of Of Jane/)
    assert.equal((await jane.get<Session>('/session')).body.workspaces.length, 2, 'all or nothing')

    const back = await jane.post<{ link: string }>(`${there}/invitations`, {
      email: 'ada@acme.example',
      role: 'administrator',
    })
    await ada.post(`/invitations/${back.body.link.split('/').at(-1)}/accept`, {})
    assert.ok(await works(hers))
    assert.equal((await jane.post('/organisation/leave')).status, 200)
    assert.ok(!(await works(hers)))
    const { body } = await jane.get<Session>('/session')
    assert.deepEqual([body.workspaces, body.organisation], [[], null])
  })

  test('it does not let members decide about their own keys', async () => {
    const { person: kira, key } = await developer('kira')
    for (const path of [`/workspaces/${workspace}/leave`, '/organisation/leave'])
      assert.equal((await kira.post(path, { disable_keys: false })).status, 422, path)
    const path = await member(kira)
    assert.equal((await ada.put(path, { role: 'administrator' })).status, 200)
    assert.equal((await kira.delete(`${path}?disable_keys=false`)).status, 200)
    assert.ok(!(await works(key)))
  })

  test('it ends open event streams within half a minute', async () => {
    const job = await runningJob()
    const [kim, lea, mo] = await Promise.all(
      ['kim', 'lea', 'mo'].map((name) =>
        joinWorkspace(ada, url(), { email: `${name}@acme.example`, role: 'viewer', workspace }),
      ),
    )
    const { key } = await developer('nora')
    const streams = await Promise.all([
      opened(job, { cookie: cookiesOf(kim!) }),
      opened(job, { cookie: cookiesOf(lea!) }),
      opened(job, { authorization: `Bearer ${key.key}` }),
      opened(job, { cookie: cookiesOf(mo!) }),
    ])
    const [removed, signedOut, byKey, staying] = streams.map(({ ended }) => ended)
    await ada.delete(await member(kim!))
    await lea!.post('/api/auth/sign-out')
    await ada.patch(`/keys/${key.id}`, { enabled: false })
    const began = Date.now()
    assert.deepEqual(await Promise.all([removed, signedOut, byKey]), ['ended', 'ended', 'ended'])
    assert.ok(Date.now() - began < 30_000, `${Date.now() - began} ms`)
    const still = await Promise.race([staying, new Promise((resolve) => setImmediate(resolve, 'open'))])
    assert.equal(still, 'open', 'readers keep their stream')
    for (const { stop } of streams) stop()
  })

  const cookiesOf = ({ cookies }: PageClient) =>
    [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  async function opened(job: string, credentials: Record<string, string>) {
    const leaving = new AbortController()
    const response = await fetch(`${url()}/api/v1/jobs/${job}/events`, {
      headers: { ...credentials, 'x-workspace': workspace },
      signal: leaving.signal,
    })
    assert.equal(response.status, 200)
    const ended = Array.fromAsync(response.body!).then(
      () => 'ended',
      () => 'broken',
    )
    return { ended, stop: () => leaving.abort() }
  }

  /** A job without a worker, which never ends. */
  async function runningJob(): Promise<string> {
    const [job, workflow] = [randomUUID(), randomUUID()]
    const client = new pg.Client(databaseUrl)
    await client.connect()
    await client.query(
      `insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
       values ($1, $2, 'w', 'custom', '[]', false, 'active')`,
      [workflow, workspace],
    )
    await client.query(
      `insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, settings)
       values ($1, $2, $3, 'w', 'IN_PROGRESS', 'IN_PROGRESS', 'persistent', '{"nodes": []}')`,
      [job, workspace, workflow],
    )
    await client.end()
    return job
  }
})
