import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pruneAudit } from '../../src/store/accounts/audit-log.ts'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import { type Api, apiOf } from '../world/api.ts'
import { until } from '../world/flow.ts'
import { firstAdministrator, type PageClient } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'

type Page = { items: { action: string; actor: string; at: string }[]; next: string | null }

const ENTRIES = 60_000

describe('a long audit log', () => {
  let millrace: Millrace
  let db: Database
  let ada: PageClient
  let api: Api
  let drop: () => Promise<void>
  before(async () => {
    const database = await migratedDatabase()
    drop = database.drop
    db = openDatabase(database.url)
    millrace = await startMillrace({ databaseUrl: database.url })
    const first = await firstAdministrator(millrace)
    ada = first.ada
    api = apiOf(millrace.url ?? '')
    // Its check of each entry takes minutes.
    await sql`alter table audit drop constraint audit_workspace_id_fkey`.execute(db)
    // Every entry was written at another time; the oldest one is the only one of its kind.
    await sql`insert into audit (workspace_id, at, actor, action, subject)
      select ${first.workspace}::uuid, now() - n * interval '1 minute', 'key:' || n % 3,
        case n when ${ENTRIES} then 'delete_source' else 'search' end,
        jsonb_build_object('destination', gen_random_uuid(), 'name', 'Handbook', 'query', repeat(md5(n::text), 6))
      from generate_series(1, ${ENTRIES}::int) as n`.execute(db)
  })
  after(async () => {
    await millrace?.end('SIGTERM')
    await closeDatabase(db)
    await drop()
  })

  const read = async (query: string) => {
    const answer = await ada.get<Page>(`/audit?${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  test('it finds text in old entries, part by part', async () => {
    const found: string[] = []
    let requests = 0
    for (let next: string | null = ''; next !== null; requests++) {
      const page: Page = await read(`text=delete%20source${next ? `&cursor=${next}` : ''}`)
      found.push(...page.items.map(({ action }) => action))
      next = page.next
    }
    assert.deepEqual(found, ['delete_source'])
    assert.ok(requests > 1, 'one request must not read the whole log')
  })

  test('it finds an action and an actor at once, however old they are', async () => {
    assert.equal((await read('action=delete_source')).items.length, 1)
    const { items, next } = await read('actor=key%3A1&limit=7')
    assert.deepEqual([items.length, new Set(items.map(({ actor }) => actor)).size], [7, 1])
    const second = await read(`actor=key%3A1&limit=7&cursor=${next}`)
    assert.ok((second.items[0]?.at ?? '') < (items.at(-1)?.at ?? ''))
    const past = new Date(Date.now() - 20_000 * 60_000).toISOString()
    assert.ok((await read(`to=${past}&limit=3`)).items.every(({ at }) => at < past))
  })

  test('it answers other requests while many searches of the log run', async () => {
    const isSearching = Array.from({ length: 30 }, () => ada.get(`/audit?text=no-such-thing`))
    const slowest = { ms: 0 }
    for (let round = 0; round < 10; round++) {
      const started = Date.now()
      assert.equal((await api.get('/sources')).status, 200)
      slowest.ms = Math.max(slowest.ms, Date.now() - started)
    }
    const answers = await Promise.all(isSearching)
    assert.ok(slowest.ms < 2_000, `another request took ${slowest.ms} ms`)
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 429]))
    const refused = answers.find(({ status }) => status === 429)
    assert.match(refused?.text ?? '', /20 reads of this workspace are waiting/)
    assert.ok(refused?.headers.get('retry-after'))
  })

  test('it streams an export to a slow reader', async () => {
    const open = () =>
      fetch(`${millrace.url}/api/v1/audit?format=jsonl`, {
        headers: {
          'x-requested-with': 'millrace',
          'x-workspace': ada.workspace ?? '',
          cookie: [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        },
      })
    const before = memoryOf(millrace)
    const answers = await Promise.all([open(), open(), open()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429])
    const [first, second] = answers.filter(({ status }) => status === 200)
    await sleep(1000)
    const grown = memoryOf(millrace) - before
    assert.ok(grown < 60_000, `memory grew by ${grown} KB for exports that no one reads`)
    await second?.body?.cancel()
    const text = await first?.text()
    assert.equal(text?.trim().split('\n').length, ENTRIES + 1)
    const third = await until(open, ({ status }) => status === 200)
    await third.body?.cancel()
  })

  test('it deletes entries after the retention', async () => {
    await pruneAudit(db, { days: 20 })
    const { rows } = await sql<{ old: number }>`
      select count(*)::int as old from audit where at < now() - interval '20 days'`.execute(db)
    assert.deepEqual(rows, [{ old: 0 }])
    assert.equal((await read('action=delete_source')).items.length, 0)
  })
})

/** In KB. */
function memoryOf({ process }: Millrace): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(process.pid)], { encoding: 'utf8' }))
}
