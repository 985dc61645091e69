import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { startEngine } from '../src/jobs/queue/engine.ts'
import { closeDatabase, openDatabase } from '../src/store/database.ts'
import { migrate } from '../src/store/migrate.ts'
import { migrations } from '../src/store/migrations/all.ts'
import { freshDatabase } from '../test/world/postgres.ts'
import { machine, saveResult } from './results.ts'

/**
 * The time of a small job next to a large one of another workspace, against its time alone. Slices only wait, so the
 * queue is measured and not the processor.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '100000' },
    small: { type: 'string', default: '500' },
    'slice-ms': { type: 'string', default: '200' },
  },
})
const SLICE = 50
const sliceMs = Number(values['slice-ms'])
const nothing = () => {}
const log = { debug: nothing, info: nothing, warn: nothing, error: console.error }

const fresh = await freshDatabase()
const db = openDatabase(fresh.url)
await migrate(db, migrations)
const engine = await startEngine(fresh.url, { db, log, drainMs: 1000 })
const left = new Map<string, { slices: number; done: () => void }>()
const none = async () => {}
await engine.work({
  ...{ list: none, finish: none, files: none, check: none, deliver: none, scheduled: none },
  ...{ permissions: none, write_permissions: none, remove_elements: none, verify: none },
  content: async ({ jobId }, { signal }) => {
    await sleep(sliceMs, undefined, { signal })
    const job = left.get(jobId)
    if (job && --job.slices === 0) job.done()
  },
})

const small = Math.ceil(Number(values.small) / SLICE)
const large = Math.ceil(Number(values.pages) / SLICE)
const alone = await timeOf(await start(small))
const before = performance.now()
const running = await start(large)
const sentSeconds = (performance.now() - before) / 1000
const next = await timeOf(await start(small))
const result = {
  date: new Date().toISOString(),
  machine: machine(),
  ...{ pages: large * SLICE, small_pages: small * SLICE, slice_ms: sliceMs },
  alone_seconds: alone,
  next_to_large_seconds: next,
  ratio: Number((next / alone).toFixed(2)),
  ms_per_sent_slice: Number(((sentSeconds * 1000) / large).toFixed(2)),
}
console.log(JSON.stringify(result))
await saveResult('fairness.jsonl', result)
await sql`update jobs set status = 'STOPPED' where id = ${running.jobId}`.execute(db)
await engine.stop()
await closeDatabase(db)
await fresh.drop()
process.exit()

type Started = { jobId: string; startedAt: number; ended: Promise<void> }

async function start(slices: number): Promise<Started> {
  const [workspaceId, workflowId, jobId] = [randomUUID(), randomUUID(), randomUUID()]
  await sql`insert into workspaces (id, name) values (${workspaceId}, ${workspaceId})`.execute(db)
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
    values (${workflowId}, ${workspaceId}, 'w', 'custom', '[]', false, 'active')`.execute(db)
  await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, settings)
    values (${jobId}, ${workspaceId}, ${workflowId}, 'w', 'IN_PROGRESS', 'IN_PROGRESS', 'persistent', '{"nodes": []}')`.execute(
    db,
  )
  const ended = Promise.withResolvers<void>()
  left.set(jobId, { slices, done: ended.resolve })
  const startedAt = performance.now()
  const numbers = Array.from({ length: slices }, (_, number) => number)
  for (let at = 0; at < slices; at += 25)
    await engine.sendAll(
      'content',
      numbers.slice(at, at + 25).map((number) => ({ jobId, number, claims: 50 })),
    )
  return { jobId, startedAt, ended: ended.promise }
}

async function timeOf({ startedAt, ended }: Started): Promise<number> {
  await ended
  return Number(((performance.now() - startedAt) / 1000).toFixed(2))
}
