import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { PRODUCT_TABLES } from '../../src/store/backup/tables.ts'
import { assertAgreement, contents } from '../world/agreement.ts'
import { apiOf } from '../world/api.ts'
import { WITH_FAST_EMBEDDING } from '../world/fast-embedding.ts'
import { detailsOf, type Flow, finish, makeFlow, run, startRun } from '../world/flow.ts'
import { operatorCommand, startOperatorCommand } from '../world/operator-command.ts'
import { firstAdministrator } from '../world/person.ts'
import { freshDatabase, migratedDatabase } from '../world/postgres.ts'
import { MASTER_KEY, startMillrace } from '../world/service.ts'
import { settles } from '../world/settled.ts'
import { annAndBen } from '../world/small-world.ts'
import { steps } from '../world/steps.ts'
import { openWorld, type World } from '../world/world.ts'

const KEY = MASTER_KEY.toString('base64')
const OTHER_KEY = Buffer.alloc(32, 9).toString('base64')

/** The steps follow each other on one installation. */
describe('a backup of a running service', () => {
  const step = steps()
  let world: World
  let client: pg.Client
  let folder: string
  let file: string
  let flow: Flow
  let key: string
  let pages: string[]
  let firstJob: string
  let heldJob: string
  let lostJob: string

  const command = (name: 'backup' | 'restore', args: string[], masterKey = KEY) =>
    operatorCommand(name, args, { DATABASE_URL: world.databaseUrl, MILLRACE_MASTER_KEY: masterKey })
  const restore = (...args: string[]) => command('restore', args)
  const refuses = async (result: ReturnType<typeof command>, says: RegExp) => {
    const { code, text } = await result
    assert.equal(code, 1, text)
    assert.match(text, says)
  }
  const connected = async () =>
    (
      await client.query(
        `select distinct application_name as name from pg_stat_activity
          where datname = current_database() and application_name like 'millrace%'`,
      )
    ).rows.map(({ name }) => name)
  /** A digest of each table. */
  const digests = async () => {
    const all: Record<string, string> = {}
    for (const name of [...PRODUCT_TABLES, 'pgboss.job']) {
      const { rows } = await client.query(
        `select count(*) || md5(string_agg(t::text, '|' order by t::text)) as digest from ${name} as t`,
      )
      all[name] = rows[0].digest
    }
    return all
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-backup-'))
    file = join(folder, 'millrace.backup')
    world = await openWorld({
      wiki: { seed: 71, pages: 10, spaces: 1, people: 6, groups: 2 },
      env: { MILLRACE_MASTER_KEY: KEY },
    })
    client = new pg.Client(world.databaseUrl)
    await client.connect()
    const { ada } = await firstAdministrator(world.millrace)
    flow = await makeFlow(world)
    const created = await ada.post<{ key: string }>('/keys', { name: 'kept' })
    assert.equal(created.status, 201, created.text)
    key = created.body.key
    pages = (await world.wiki.control.truth()).pages
      .filter(({ kind, status }) => kind === 'page' && status === 'current')
      .map(({ id }) => id)
    firstJob = (await run(world, flow)).id
  })
  after(async () => {
    await client.end()
    await world.close()
    await rm(folder, { recursive: true })
  })

  step('it is written during a run, and only to a new file', async () => {
    const { control } = world.wiki
    await control.fail({ path: 'body[.-]', isHeld: true, times: null })
    await control.editPage(pages[1]!, { body: '<p>lemur one</p>' })
    heldJob = await startRun(world, flow)
    const claimed = async () =>
      (await client.query(`select from job_documents where job_id = $1 and state = 'in_progress'`, [heldJob]))
        .rowCount
    await settles(claimed, 1)
    const { code, text } = await command('backup', [file])
    assert.equal(code, 0, text)
    assert.match(text, /^connectors: 2 rows$/m)
    assert.match(text, /^Backup written to .*: \d+ tables, \d+ rows, \d+ bytes\.$/m)
    assert.equal((await detailsOf(world, heldJob)).processing_status, 'IN_PROGRESS')
    const again = await command('backup', [file])
    assert.deepEqual([again.code, /exists; choose another name/.test(again.text)], [2, true], again.text)
    await control.clearFaults()
    await finish(world, heldJob)
  })

  step('it is not restored under a running service', async () => {
    const { control } = world.wiki
    const [ann] = await annAndBen(world.wiki)
    await control.editPage(pages[1]!, { body: '<p>lemur two, a secret of one hour</p>' })
    await control.restrict(pages[2]!, { read: { users: [ann] } })
    await control.trashPage(pages.at(-1)!)
    const spaceKey = (await control.truth()).pages.find(({ id }) => id === pages[1])!.spaceKey
    const created = await control.createPage({ space: spaceKey, title: 'Created', body: '<p>tapir</p>' })
    lostJob = (await run(world, flow)).id
    await assertAgreement(world)
    await refuses(
      restore(file, '--replace'),
      /processes of Millrace are connected.*: millrace.*Stop all of them/,
    )
    await world.millrace.end('SIGTERM')
    await settles(connected, [])
    await control.editPage(pages[1]!, { body: '<p>lemur three</p>' })
    await control.deletePage(created)
  })

  step('it is refused with another key, over data and if it is cut, and nothing changes', async () => {
    const before = await digests()
    const cut = join(folder, 'cut.backup')
    const whole = await readFile(file)
    await writeFile(cut, whole.subarray(0, -100))
    await refuses(restore(cut, '--replace'), /is incomplete or damaged\. Nothing was changed/)
    const text = gunzipSync(whole).toString()
    const hash = (await client.query('select password from auth_accounts where password is not null')).rows[0]
    const forged = join(folder, 'forged.backup')
    await writeFile(forged, gzipSync(text.replace(hash.password, hash.password.replace(/.$/, '#'))))
    await refuses(restore(forged, '--replace'), /was changed after it was written, or damaged/)
    await refuses(
      command('restore', [file, '--replace'], OTHER_KEY),
      /authenticated with a master key without an id, which is not listed/,
    )
    await refuses(restore(file), /already holds data of Millrace \(\w+\)\..* add --replace/)
    await refuses(restore(join(folder, 'none')), /reading the backup .* \(ENOENT\)/)
    assert.deepEqual(await digests(), before)
  })

  step('it leaves the old state if the restore is killed', async () => {
    const before = await digests()
    // Holds the restore at the rows of one table.
    await client.query('select pg_advisory_lock(77)')
    await client.query(`create function hold() returns boolean language sql as
      'select pg_advisory_xact_lock_shared(77) is not null'`)
    await client.query('alter table job_documents add constraint hold check (hold()) not valid')
    const killed = startOperatorCommand('restore', [file, '--replace'], {
      DATABASE_URL: world.databaseUrl,
      MILLRACE_MASTER_KEY: KEY,
    })
    const waits = async () =>
      (
        await client.query(
          `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'
            and application_name = 'millrace restore'`,
        )
      ).rowCount
    await settles(waits, 1)
    killed.process.kill('SIGKILL')
    await killed.result
    await client.query('select pg_advisory_unlock(77)')
    await settles(connected, [])
    await client.query('alter table job_documents drop constraint hold')
    await client.query('drop function hold')
    assert.deepEqual(await digests(), before)
  })

  step('it brings back keys, connectors, workflows, history and the run', async () => {
    const { code, text } = await restore(file, '--replace')
    assert.equal(code, 0, text)
    assert.match(text, /^Restored the backup of 20.*: \d+ rows\.$/m)
    await world.restart()
    const withKey = apiOf(world.millrace.url ?? '', key)
    for (const path of ['/sources', '/destinations', '/workflows']) {
      const { status, body } = await withKey.get<{ id: string }[]>(path)
      assert.deepEqual([status, body.length], [200, 1], path)
    }
    const { status } = await world.api.get(`/jobs/${lostJob}`)
    assert.equal(status, 404)
    assert.equal((await detailsOf(world, firstJob)).processing_status, 'SUCCESS')
  })

  step('it lets the next runs bring the index to the wiki', async () => {
    const jobs = [await finish(world, heldJob), await run(world, flow)]
    assert.equal(jobs[1]?.details.processing_status, 'SUCCESS', JSON.stringify(jobs))
    // The service may begin a pass at any time after its start.
    const passes = await world.api.get<{ id: string }[]>('/jobs?kind=permissions')
    for (const { id } of passes.body) jobs.push(await finish(world, id))
    const warnings = jobs.flatMap(({ details }) => details.warnings.map(({ code }) => code))
    assert.ok(warnings.includes('ledger_behind_index'), JSON.stringify(warnings))
    await assertAgreement(world)
    const texts = (await contents(world)).map(({ _source }) => _source.text).join('\n')
    assert.match(texts, /lemur three/)
    assert.doesNotMatch(texts, /lemur two|tapir/)
    const again = await run(world, flow)
    assert.equal(again.details.counts.unchanged, again.details.counts.discovered)
  })
})

test('it fills a sandbox again after a restore into an empty database', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-backup-'))
  const file = join(folder, 'millrace.backup')
  const databases = [await migratedDatabase(), await freshDatabase()] as const
  const [old, empty] = databases.map(({ url }) => url) as [string, string]
  const command = (name: 'backup' | 'restore', url: string) =>
    operatorCommand(name, [file], { DATABASE_URL: url, MILLRACE_MASTER_KEY: KEY })
  const env = { ...WITH_FAST_EMBEDDING, MILLRACE_MASTER_KEY: KEY }
  type State = { destination_id: string; documents: number }
  const stateOf = async (api: ReturnType<typeof apiOf>) => (await api.get<State>('/sandbox')).body
  let millrace = await startMillrace({ databaseUrl: old, env })
  context.after(async () => {
    await millrace.end('SIGKILL')
    await databases[1].drop()
    await rm(folder, { recursive: true })
  })
  const first = apiOf(millrace.url ?? '')
  const tried = await first.post<{ workflow_id: string; job_id: string }>('/samples/try')
  assert.ok(tried.status < 300, tried.text)
  await finish({ api: first }, tried.body.job_id)
  const tableOf = async (url: string) => {
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client
      .query(
        `select quote_ident(nspname) as schema from pg_namespace where nspname like 'millrace_sandbox_%'`,
      )
      .then(({ rows }) =>
        client.query(`select record_id, text from ${rows[0].schema}.elements
          where element_id <> 'millrace_control' order by 1, 2`),
      )
      .finally(() => client.end())
    return rows
  }
  const written = await tableOf(old)
  assert.ok(written.length > 0)
  const backup = await command('backup', old)
  assert.equal(backup.code, 0, backup.text)
  await millrace.end('SIGTERM')
  const restored = await command('restore', empty)
  assert.equal(restored.code, 0, restored.text)

  millrace = await startMillrace({ databaseUrl: empty, env })
  const api = apiOf(millrace.url ?? '')
  const { body } = await api.post<{ id: string }>(`/workflows/${tried.body.workflow_id}/run`)
  const { details } = await finish({ api }, body.id)
  assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
  assert.deepEqual(await tableOf(empty), written)
  // The role belongs to the server and goes with its last sandbox.
  await databases[0].drop()
  assert.equal((await api.delete(`/workflows/${tried.body.workflow_id}`)).status, 200)
  const { destination_id: id } = await stateOf(api)
  assert.equal((await api.delete(`/destinations/${id}`)).status, 200)
})
