import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { apiOf } from '../world/api.ts'
import { freshDatabase } from '../world/postgres.ts'
import { startMillrace } from '../world/service.ts'

test('several processes start at once on an empty database, and are one installation', async () => {
  const database = await freshDatabase()
  const started = await Promise.all(
    (['all', 'api', 'worker', 'api'] as const).map((role) =>
      startMillrace({ databaseUrl: database.url, role }),
    ),
  )
  try {
    const [first, second, worker] = started
    assert.equal(worker?.url, null)
    const made = await apiOf(first?.url ?? '').post<{ id: string }>('/sources', {
      name: 'one',
      type: 'wiki',
      config: { url: 'https://wiki.acme.example', token: 'some-token-1' },
    })
    assert.equal(made.status, 200, made.text)
    assert.equal((await apiOf(second?.url ?? '').get(`/sources/${made.body.id}`)).status, 200)
  } finally {
    await Promise.all(started.map((each) => each.end('SIGTERM')))
    await database.drop()
  }
})

test('on its embedded database it is killed and comes back with everything it had', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-start-'))
  const env = { MILLRACE_DATA_DIR: join(dataDir, 'data'), MILLRACE_MASTER_KEY: '' }
  try {
    const first = await startMillrace({ env })
    const source = {
      name: 'kept',
      type: 'wiki',
      config: { url: 'https://wiki.acme.example', token: 'some-token-1' },
    }
    assert.equal((await apiOf(first.url ?? '').post('/sources', source)).status, 200)
    await first.end('SIGKILL')
    const second = await startMillrace({ env })
    const kept = await apiOf(second.url ?? '').get<{ name: string }[]>('/sources')
    assert.deepEqual(
      kept.body.map((each) => each.name),
      ['kept'],
    )
    assert.equal(await second.end('SIGTERM'), 0)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('a master key that is not the one the database was set up with is said at start', async () => {
  const database = await freshDatabase()
  try {
    const first = await startMillrace({ databaseUrl: database.url })
    await first.end('SIGTERM')
    const other = Buffer.alloc(32, 8).toString('base64')
    await assert.rejects(
      startMillrace({ databaseUrl: database.url, env: { MILLRACE_MASTER_KEY: other } }),
      (error: Error) => {
        assert.match(error.message, /ended with 1 .*master key is not the one/s)
        return !error.message.includes(other)
      },
    )
  } finally {
    await database.drop()
  }
})

for (const [what, env, says] of [
  ['a wrong value', { PORT: 'eighty' }, /ended with 2 .*PORT must be/s],
  [
    'a short key',
    { MILLRACE_SETUP_API_KEY: 'canary-too-short' },
    /ended with 2 .*MILLRACE_SETUP_API_KEY must be/s,
  ],
  [
    'a database that is not there',
    { DATABASE_URL: 'postgresql://u:canary-password@127.0.0.1:9/x' },
    /ended with 1 .*database/s,
  ],
] as const) {
  test(`${what} is one clear line and an end`, async () => {
    await assert.rejects(startMillrace({ env }), (error: Error) => {
      assert.match(error.message, says)
      assert.doesNotMatch(error.message, /canary/)
      assert.doesNotMatch(error.message, /\n {4}at /, 'no stack')
      return true
    })
  })
}
