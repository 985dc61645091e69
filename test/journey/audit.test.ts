import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AUDITED_ROUTES } from '../../src/api/http/audited-routes.ts'
import { unstartedServer } from '../../src/api/http/unstarted-server.ts'
import { cloud, hosted } from '../world/api-service.ts'
import { firstAdministrator, joinWorkspace, type PageClient } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'

type Entry = {
  id: string
  at: string
  actor: string
  actor_name: string | null
  action: string
  subject: string
  details: Record<string, unknown>
}
type Page = { items: Entry[]; next: string | null }
type Preview = { documents: { record_id: string }[] }

/** Changing routes that record themselves, with the action of their entry. */
const RECORDED: Record<string, string> = {
  'POST /sources/connect': 'create_source, check_source',
  'POST /destinations/connect': 'create_destination, check_destination, create_index',
  'POST /samples': 'make_sample',
  'POST /samples/try': 'try_sample',
  'POST /sandbox': 'make_sandbox',
  'DELETE /destinations/:id/generations/:name': 'delete_index',
  'POST /destinations/:id/create-index': 'create_index',
  'POST /destinations/:id/search': 'search, search_as',
  'POST /destinations/:id/compare': 'search, search_as',
  'POST /destinations/:id/explain': 'explain, explain_as',
  'POST /keys': 'create_key',
  'POST /keys/:id/reveal': 'reveal_key',
  'PATCH /keys/:id': 'enable_key, disable_key',
  'DELETE /keys/:id': 'delete_key',
  'POST /keys/:id/restore': 'restore_key',
  'POST /personal-tokens': 'create_personal_token',
  'DELETE /personal-tokens/:id': 'delete_personal_token',
  'POST /personal-tokens/:id/restore': 'restore_personal_token',
  'PUT /identity': 'set_identity_settings',
  'DELETE /identity': 'delete_identity_settings',
  'POST /identity/test': 'test_identity_settings',
  'PUT /identities': 'import_identities',
  'DELETE /identities/:id': 'delete_identity',
  'POST /identities/fill': 'fill_identities',
  'POST /identities/link': 'link_identity',
  'DELETE /identities/link': 'unlink_identity',
  'POST /account': 'become_business',
  'PATCH /account': 'change_name',
  'POST /account/email': 'change_email',
  'POST /setup': 'set_up',
  'POST /workspaces': 'create_workspace',
  'PATCH /workspaces/:workspace_id': 'rename_workspace',
  'DELETE /workspaces/:workspace_id': 'delete_workspace',
  'PUT /workspaces/:workspace_id/members/:user_id': 'change_role',
  'DELETE /workspaces/:workspace_id/members/:user_id': 'remove_member',
  'POST /workspaces/:workspace_id/members/:user_id/reset-link': 'make_reset_link',
  'POST /workspaces/:workspace_id/invitations': 'invite',
  'DELETE /workspaces/:workspace_id/invitations/:id': 'take_back_invitation',
  'POST /workspaces/:workspace_id/leave': 'leave_workspace',
  'POST /organisation/leave': 'leave_workspace',
  'POST /invitations/:token/accept': 'accept_invitation',
  'POST /password-resets/:token': 'reset_password',
}

/** Routes that change nothing that others see. */
const WITHOUT_ENTRY: [RegExp, string][] = [
  [/^POST \/notifications\/mark-read$/, 'the reading state of the caller alone'],
  [/^POST \/(elements|general\/v0\/general)$/, 'turns a file of the caller into elements and keeps nothing'],
  [/^POST \/sources\/options$/, 'reads the choices of a form'],
  [/^POST \/workflows\/:id\/estimate$/, 'counts documents, without text and names'],
  [/^POST \/destinations\/:id\/names$/, 'names of people and groups that the caller can see already'],
  [/^POST \/destinations\/:id\/native-query$/, 'shows a query and runs none'],
  [/^POST \/mcp$/, 'its tools record search, read and explain'],
  [/\/notifications\/channels\/:channel_id\/verify$/, 'compares a code and stores nothing'],
  [/\/notifications\/channels/, 'records create_channel, update_channel, test_channel and so on'],
]

describe('the audit log', () => {
  let millrace: Millrace
  let drop: () => Promise<void>
  let ada: PageClient
  let workspace: string
  before(async () => {
    const database = await migratedDatabase()
    drop = database.drop
    millrace = await startMillrace({ databaseUrl: database.url, allowedHosts: ['127.0.0.1:9'] })
    ;({ ada, workspace } = await firstAdministrator(millrace))
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await drop()
  })

  const entries = async (query = '') => (await ada.get<Page>(`/audit?limit=500${query}`)).body.items
  async function made<T extends { id: string }>(path: string, body: object): Promise<T> {
    const created = await ada.post<T>(path, body)
    assert.ok(created.status < 300, created.text)
    return created.body
  }

  test('it has an entry or a reason for every route that changes something', async () => {
    const app = await unstartedServer()
    const routes = app.declarations.map(
      ({ method, url }) => `${method} ${url.replace(/^\/api\/v1/, '').replace(/\/$/, '')}`,
    )
    await app.close()
    const changing = new Set(routes.filter((route) => !/^(GET|HEAD|OPTIONS) /.test(route)))
    const missing = [...changing].filter(
      (route) =>
        !(route in AUDITED_ROUTES) &&
        !(route in RECORDED) &&
        !WITHOUT_ENTRY.some(([pattern]) => pattern.test(route)),
    )
    assert.deepEqual(missing, [])
    const unknown = [...Object.keys(AUDITED_ROUTES), ...Object.keys(RECORDED)].filter(
      (route) => !changing.has(route),
    )
    assert.deepEqual(unknown, [], 'routes that do not exist')
  })

  test('it records all changes of connectors and workflows, previews and approvals', () => {
    const actions = Object.fromEntries(
      Object.entries(AUDITED_ROUTES).map(([route, { action }]) => [route, action]),
    )
    for (const kind of ['source', 'destination']) {
      assert.equal(actions[`POST /${kind}s`], `create_${kind}`)
      assert.equal(actions[`PUT /${kind}s/:id`], `change_${kind}`)
      assert.equal(actions[`DELETE /${kind}s/:id`], `delete_${kind}`)
    }
    assert.equal(actions['POST /workflows'], 'create_workflow')
    assert.equal(actions['PUT /workflows/:id'], 'change_workflow')
    assert.equal(actions['DELETE /workflows/:id'], 'delete_workflow')
    assert.equal(actions['POST /workflows/:id/preview'], 'preview')
    assert.equal(actions['POST /sources/:id/preview'], 'preview')
    assert.equal(actions['POST /jobs/:id/approve-deletions'], 'approve_deletions')
    assert.equal(actions['POST /jobs/approve-deletions'], 'approve_deletions')
  })

  test('it records changes of connectors, workflows and runs with ids and names', async () => {
    const credentials = { username: 'ada@acme.example', api_token: 'a-secret-token' }
    const source = await made('/sources', {
      name: 'Wiki',
      type: 'wiki',
      config: { ...cloud, ...credentials },
    })
    const destination = await made('/destinations', { name: 'Index', type: 'searchindex', config: hosted })
    await ada.put(`/sources/${source.id}`, { name: 'Team wiki', config: { ...cloud, ...credentials } })
    await ada.post(`/sources/${source.id}/connection-check`)
    const workflow = await made('/workflows', {
      ...{ name: 'Handbook', workflow_type: 'basic' },
      ...{ source_id: source.id, destination_id: destination.id },
    })
    await ada.put(`/workflows/${workflow.id}`, { name: 'Handbook daily' })
    const job = await made(`/workflows/${workflow.id}/run`, {})
    await ada.post(`/jobs/${job.id}/cancel`)
    assert.ok((await ada.post(`/jobs/${job.id}/retry`)).status >= 400)
    await ada.delete(`/workflows/${workflow.id}`)

    const found = (await entries()).toReversed()
    const actions = found.map(({ action }) => action)
    const changes = [
      ...['create_source', 'create_destination', 'change_source', 'check_source', 'create_workflow'],
      ...['change_workflow', 'run_workflow', 'stop_job', 'delete_workflow'],
    ]
    assert.deepEqual(
      actions.filter((action) => changes.includes(action)),
      changes,
    )
    // A refused request changes nothing.
    assert.ok(!actions.includes('retry_job'))
    const of = (action: string) => found.find((entry) => entry.action === action)
    assert.deepEqual(of('create_source')?.details, { source: source.id, name: 'Wiki' })
    assert.equal(of('change_source')?.details.name, 'Team wiki')
    assert.deepEqual(of('run_workflow')?.details, {
      ...{ workflow: workflow.id, name: 'Handbook daily', job: job.id },
    })
    assert.deepEqual(of('stop_job')?.details, { job: job.id, name: 'Handbook daily' })
    assert.deepEqual(of('delete_workflow')?.details, { workflow: workflow.id, name: 'Handbook daily' })
    assert.equal(of('run_workflow')?.actor_name, 'Ada')
    assert.ok(!JSON.stringify(found).includes('a-secret-token'))
  })

  test('it records previews', async () => {
    const sample = await made<{ id: string }>('/samples', {})
    const preview = await ada.post<Preview>(`/sources/${sample.id}/preview`, { limit: 1 })
    assert.equal(preview.status, 200, preview.text)
    const shown = preview.body.documents.map(({ record_id }) => record_id)
    assert.equal(shown.length, 1)
    const [entry] = await entries('&action=preview')
    assert.equal(entry?.actor_name, 'Ada')
    assert.equal(entry?.details.source, sample.id)
    assert.deepEqual(entry?.details.record_ids, shown)
    assert.ok(entry?.details.name)
    const workflow = await made('/workflows', {
      ...{ name: 'Sample', workflow_type: 'custom', source_id: sample.id },
      workflow_nodes: [{ name: 'P', type: 'partition', subtype: 'auto' }],
    })
    const other = await ada.post<Preview>(`/workflows/${workflow.id}/preview`, { record_ids: shown })
    assert.equal(other.status, 200, other.text)
    const [second] = await entries('&action=preview')
    assert.deepEqual(second?.details, { workflow: workflow.id, name: 'Sample', record_ids: shown })
  })

  test('it filters by action, actor, time and text', async () => {
    const bo = await joinWorkspace(ada, millrace.url ?? '', {
      ...{ email: 'bo@acme.example', role: 'developer', workspace },
    })
    await bo.post('/keys', { name: '100%_sure' })
    const actors = (await ada.get<{ actor: string; name: string | null }[]>('/audit/actors')).body
    const { actor = '' } = actors.find(({ name }) => name === 'bo@acme.example') ?? {}
    const byBo = await entries(`&actor=${encodeURIComponent(actor)}`)
    assert.deepEqual(new Set(byBo.map((entry) => entry.actor)), new Set([actor]))
    assert.deepEqual(
      new Set((await entries('&action=create_source,create_key')).map(({ action }) => action)),
      new Set(['create_source', 'create_key']),
    )
    assert.deepEqual(
      (await entries(`&text=${encodeURIComponent('100%_')}`)).map(({ action }) => action),
      ['create_key'],
    )
    assert.equal((await entries('&text=100x')).length, 0)
    assert.ok((await entries('&text=create%20source')).length > 0)
    const { at } = byBo[0]!
    assert.ok((await entries(`&from=${at}`)).every((entry) => entry.at >= at))
    assert.ok((await entries(`&to=${at}`)).every((entry) => entry.at < at))
    const later = new Date(Date.now() + 60_000).toISOString()
    assert.equal((await ada.get(`/audit?from=${later}&to=${at}`)).status, 422)
    for (const wrong of ['from=yesterday', 'format=xml', 'nothing=1'])
      assert.equal((await ada.get(`/audit?${wrong}`)).status, 422, wrong)
    assert.equal((await bo.get('/audit/actors')).status, 403)
  })

  test('it exports CSV without formulas and JSON lines', async () => {
    await made('/keys', { name: '=HYPERLINK("x")' })
    await ada.patch('/account', { name: '=cmd|x' })
    await made('/keys', { name: 'second, "quoted"' })
    const csv = await ada.get('/audit?format=csv&action=create_key')
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/)
    assert.match(csv.headers.get('content-disposition') ?? '', /attachment; filename="audit.csv"/)
    const [header, ...lines] = csv.text.trim().split('\r\n')
    assert.equal(header, 'at,actor,actor_name,action,subject')
    assert.equal(lines.length, 3)
    for (const line of lines) assert.doesNotMatch(line, /(^|,)"?[=+@-]/)
    assert.match(csv.text, /,'=cmd\|x,/)
    const jsonl = await ada.get('/audit?format=jsonl&action=create_key')
    const parsed = jsonl.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry)
    assert.deepEqual(
      parsed.map(({ action }) => action),
      ['create_key', 'create_key', 'create_key'],
    )
    assert.match(jsonl.headers.get('content-type') ?? '', /ndjson/)
  })

  test('it keeps entries of other workspaces apart', async () => {
    const other = await made('/workspaces', { name: 'Other' })
    ada.workspace = other.id
    const actions = (await entries()).map(({ action }) => action)
    assert.deepEqual(actions, ['create_workspace'])
    ada.workspace = workspace
  })
})
