import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect, type Socket } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'
import { type Api, apiOf } from '../world/api.ts'
import { until } from '../world/flow.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../world/service.ts'
import { settles } from '../world/settled.ts'

const MB = 1024 * 1024
/** Above the largest that Linux gives. */
const NO_PID = 2 ** 22 + 1
const temporary = mkdtempSync(join(tmpdir(), 'uploads-test-'))
const quotas = { MILLRACE_UPLOAD_JOBS: '4', MILLRACE_UPLOAD_QUOTA_MB: '5', MILLRACE_OUTPUT_QUOTA_MB: '1' }

type Answer = {
  status: number
  retryAfter: string | null
  body: { id: string; code: string; detail: string }
}
type Documents = { items: { state: string; error?: { code: string; message: string } }[] }

describe('uploads', () => {
  let database: Awaited<ReturnType<typeof migratedDatabase>>
  let first: Millrace
  let second: Millrace
  let api: Api
  const leftover = join(temporary, `millrace-uploads-${host()}-${NO_PID}-abcdef`)
  const inUse = join(temporary, `millrace-uploads-${host()}-${process.pid}-abcdef`)
  before(async () => {
    for (const folder of [leftover, inUse]) {
      mkdirSync(folder)
      writeFileSync(join(folder, 'part'), 'x')
    }
    database = await migratedDatabase()
    const env = { ...quotas, TMPDIR: temporary }
    first = await startMillrace({ databaseUrl: database.url, role: 'api', env })
    second = await startMillrace({ databaseUrl: database.url, role: 'api', env })
    api = apiOf(first.url ?? '')
  })
  after(async () => {
    await first?.end('SIGTERM')
    await second?.end('SIGTERM')
    await database?.drop()
    rmSync(temporary, { recursive: true, force: true })
  })

  const send = async (files: string[], service = first): Promise<Answer> => {
    const form = new FormData()
    const node = { name: 'Partitioner', type: 'partition', subtype: 'fast' }
    form.append('request_data', JSON.stringify({ job_nodes: [node] }))
    for (const [at, text] of files.entries()) form.append('input_files[]', new Blob([text]), `${at}.txt`)
    const headers = { 'unstructured-api-key': TEST_KEY }
    const response = await fetch(`${service.url}/api/v1/jobs/`, { method: 'POST', headers, body: form })
    const retryAfter = response.headers.get('retry-after')
    return { status: response.status, retryAfter, body: (await response.json()) as Answer['body'] }
  }
  const metric = async (name: string) => {
    const text = await (await fetch(`${first.url}/metrics`)).text()
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return Number(line?.split(' ').at(-1))
  }
  const ownFolder = (service: Millrace) =>
    readdirSync(temporary).find((name) =>
      name.startsWith(`millrace-uploads-${host()}-${service.process.pid}-`),
    )

  test('it keeps stalled uploads on disk, unnamed in a private folder', async () => {
    const folder = join(temporary, ownFolder(first) ?? '')
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    await send(['warm'], first).then(({ body }) => api.post(`/jobs/${body.id}/cancel`))
    const rss = memoryOf(first)
    const uploads = await Promise.all(Array.from({ length: 12 }, () => stalledUpload(first, 45)))
    const refused = await until(
      async () => uploads.filter(({ answer }) => answer() !== ''),
      (answered) => answered.length === 4,
      120,
    )
    for (const { answer } of refused) {
      assert.match(answer(), /^HTTP\/1.1 429 /)
      assert.match(answer(), /\r\nretry-after: 10\r\n/)
      assert.match(answer(), /8 uploads of this workspace are arriving/)
    }
    await until(
      () => metric('millrace_spooled_upload_bytes'),
      (bytes) => bytes >= 8 * 45 * MB,
      120,
    )
    await settles(() => metric('millrace_arriving_uploads'), 8)
    await settles(() => metric('millrace_refused_uploads_total{reason="places"}'), 4)
    assert.deepEqual(readdirSync(folder), [])
    const grown = memoryOf(first) - rss
    assert.ok(grown < 300, `${grown} MB more memory for 540 MB of uploads`)
    for (const { socket } of uploads) socket.destroy()
    await until(
      () => metric('millrace_spooled_upload_bytes'),
      (bytes) => bytes === 0,
      120,
    )
    await settles(() => metric('millrace_arriving_uploads'), 0)
  })

  test('it removes folders of killed processes only', () => {
    assert.equal(existsSync(leftover), false)
    assert.equal(existsSync(join(inUse, 'part')), true)
  })

  test('it refuses files beyond the quota of waiting files', async () => {
    const accepted = await send(['x'.repeat(3 * MB)])
    assert.equal(accepted.status, 200, accepted.body.detail)
    const full = await send(['x'.repeat(3 * MB)], second)
    assert.deepEqual([full.status, full.body.code, full.retryAfter], [429, 'quota_reached', '30'])
    assert.match(full.body.detail, /files of 3 MB are waiting, and the workspace may have 5 MB/)
    const never = await send(['x'.repeat(3 * MB), 'x'.repeat(3 * MB)])
    assert.deepEqual([never.status, never.body.code, never.retryAfter], [413, 'body_too_large', null])
    await settles(() => metric('millrace_waiting_upload_bytes'), 3 * MB)
  })

  test('it holds the quota of active jobs for concurrent requests to two processes', async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, at) => send(['Water.'], at % 2 === 0 ? first : second)),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 11)
    for (const { status, body, retryAfter } of refused) {
      assert.deepEqual([status, body.code, retryAfter], [429, 'quota_reached', '30'])
      assert.match(body.detail, /the workspace already has 4 active jobs of files/)
    }
    await settles(() => metric('millrace_active_upload_jobs'), 4)
  })

  test('it refuses jobs while the kept results are at their quota', async () => {
    const env = { ...quotas, MILLRACE_OUTPUT_QUOTA_MB: '2', TMPDIR: temporary }
    const worker = await startMillrace({ databaseUrl: database.url, role: 'worker', env })
    const db = openDatabase(database.url)
    try {
      // Metrics are cached, so they may still be those from before the job.
      const ended = (id: string) =>
        until(
          async () => (await api.get<{ status: string }>(`/jobs/${id}`)).body.status,
          (status) => !['SCHEDULED', 'IN_PROGRESS'].includes(status),
          180,
        )
      await until(
        () => metric('millrace_active_upload_jobs'),
        (jobs) => jobs === 0,
        180,
      )
      await until(
        () => metric('millrace_waiting_upload_bytes'),
        (bytes) => bytes === 0,
        180,
      )
      await sql`delete from outputs`.execute(db)
      await settles(() => metric('millrace_kept_output_bytes'), 0)

      const { body: job } = await send([incompressible(2 * MB), incompressible(2 * MB)])
      await ended(job.id)
      const { body } = await api.get<Documents>(`/jobs/${job.id}/documents`)
      assert.deepEqual(body.items.map(({ state }) => state).sort(), ['failed', 'new'])
      const failed = body.items.find(({ state }) => state === 'failed')
      assert.equal(failed?.error?.code, 'quota_reached')
      assert.match(failed?.error?.message ?? '', /the workspace keeps all the results it may have, 2 MB/)
      const { rows } = await sql<{
        bytes: string
      }>`select sum(octet_length(elements)) as bytes from outputs`.execute(db)
      await settles(() => metric('millrace_kept_output_bytes'), Number(rows[0]?.bytes))

      const refused = await send(['Water.'])
      assert.deepEqual([refused.status, refused.body.code], [429, 'quota_reached'])
      assert.ok(Number(refused.retryAfter) > 6 * 24 * 3600, String(refused.retryAfter))
      await sql`delete from outputs`.execute(db)
      await settles(() => metric('millrace_kept_output_bytes'), 0)
      const accepted = await send(['Water.'])
      assert.equal(accepted.status, 200, accepted.body.detail)
      await ended(accepted.body.id)
    } finally {
      await closeDatabase(db)
      await worker.end('SIGTERM')
    }
  })

  test('it removes its folder at the end', async () => {
    const folder = ownFolder(second)
    assert.ok(folder)
    await second.end('SIGTERM')
    assert.equal(existsSync(join(temporary, folder)), false)
  })
})

/** Sends most of a form and then almost nothing. */
async function stalledUpload(
  service: Millrace,
  megabytes: number,
): Promise<{ socket: Socket; answer(): string }> {
  const socket = connect(Number(new URL(service.url ?? '').port), '127.0.0.1')
  let answer = ''
  socket.on('error', () => {})
  socket.on('data', (data) => {
    answer += data.toString()
  })
  const head = [
    'POST /general/v0/general HTTP/1.1',
    'host: localhost',
    `unstructured-api-key: ${TEST_KEY}`,
    'content-type: multipart/form-data; boundary=x',
    `content-length: ${(megabytes + 1) * MB}`,
  ]
  const part = '--x\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\n\r\n'
  socket.write(`${head.join('\r\n')}\r\n\r\n${part}`)
  const chunk = Buffer.alloc(MB, 'x')
  for (let sent = 0; sent < megabytes; sent++)
    await new Promise<void>((resolve) => socket.write(chunk, () => resolve()))
  // A pause of 30 s would end it.
  const timer = setInterval(() => socket.write('x'), 1000)
  socket.on('close', () => clearInterval(timer))
  return { socket, answer: () => answer }
}

function memoryOf({ process: { pid } }: Millrace): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}

/** Random letters in paragraphs. */
function incompressible(bytes: number): string {
  return randomBytes(bytes)
    .toString('base64')
    .replaceAll(/.{500}/g, '$&\n\n')
    .slice(0, bytes)
}

function host(): string {
  return hostname().replaceAll(/[^A-Za-z0-9.]/g, '_')
}
