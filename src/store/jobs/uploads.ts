import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createDeflate, inflate } from 'node:zlib'
import { type Insertable, sql } from 'kysely'
import type { Element } from '../../document.ts'
import { jsonParts } from '../../json-parts.ts'
import type { Database } from '../database.ts'
import type { Schema } from '../schema.ts'
import type { JobRow } from './jobs.ts'
import { ACTIVE_STATUSES } from './jobs.ts'
import { lockOutputs } from './upload-usage.ts'

const decompress = promisify(inflate)

/** How long results can be downloaded. */
const RETENTION = '7 days'

export type Upload = { id: string; filename: string; content: Buffer }
/** `packed` are the elements as deflated JSON. */
export type NodeOutput = { nodeId: string; packed: Buffer }

export type NewUpload = { id: string; filename: string; size: number; read(): Promise<Buffer> }

/** One at a time, so that one file is in memory. */
export async function insertUploads(db: Database, jobId: string, uploads: NewUpload[]): Promise<void> {
  for (const [place, { id, filename, read }] of uploads.entries()) {
    const row = { job_id: jobId, file_id: id, place, filename, content: await read() }
    await db.insertInto('uploads').values(row).execute()
  }
}

/** Undefined for an unknown file, and after its job has ended. */
export async function readUpload(db: Database, jobId: string, fileId: string): Promise<Upload | undefined> {
  const row = await db
    .selectFrom('uploads')
    .select(['filename', 'content'])
    .where('job_id', '=', jobId)
    .where('file_id', '=', fileId)
    .executeTakeFirst()
  return row?.content ? { id: fileId, filename: row.filename, content: row.content } : undefined
}

/** Elements with vectors take hundreds of megabytes as JSON, so they pass through in parts. */
export async function packOutput(parts: AsyncIterable<Element[]> | Iterable<Element[]>): Promise<Buffer> {
  const deflate = createDeflate()
  const [packed] = await Promise.all([buffer(deflate), pipeline(jsonParts(parts), deflate)])
  return packed
}

/** Replaces the results of an interrupted attempt. Stores nothing if the workspace has no room for all of them. */
export async function writeOutputs(
  db: Database,
  { job, fileId, maxBytes }: { job: JobRow; fileId: string; maxBytes: number },
  outputs: NodeOutput[],
): Promise<'written' | 'quota_reached'> {
  const rows = outputs.map(({ nodeId, packed }, place): Insertable<Schema['outputs']> => {
    return { job_id: job.id, file_id: fileId, node_id: nodeId, place, elements: packed }
  })
  const bytes = rows.reduce((sum, { elements }) => sum + elements.length, 0)
  return db.transaction().execute(async (transaction) => {
    const before = await lockOutputs(transaction, job.workspace_id)
    const replaced = await bytesOf(transaction, job.id, fileId)
    if (before - replaced + bytes > maxBytes) return 'quota_reached'
    for (const row of rows)
      await transaction
        .insertInto('outputs')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['job_id', 'file_id', 'node_id']).doUpdateSet({ elements: row.elements }),
        )
        .execute()
    return 'written'
  })
}

async function bytesOf(db: Database, jobId: string, fileId: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select coalesce(sum(octet_length(elements)), 0) as bytes from outputs
    where job_id = ${jobId} and file_id = ${fileId}
  `.execute(db)
  return Number(rows[0]?.bytes ?? 0)
}

/** Seconds until the oldest result of a workspace is deleted, at least a minute. */
export async function nextExpiry(db: Database, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ seconds: string | null }>`
    select extract(epoch from min(created_at) + ${RETENTION}::interval - now()) as seconds
    from outputs where workspace_id = ${workspaceId}
  `.execute(db)
  return Math.max(60, Math.ceil(Number(rows[0]?.seconds ?? 0)))
}

/** The output of one node or of the last; returned as stored JSON, unparsed. */
export async function readOutput(
  db: Database,
  { jobId, fileId, nodeId }: { jobId: string; fileId: string; nodeId?: string },
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('outputs')
    .select('elements')
    .where('job_id', '=', jobId)
    .where('file_id', '=', fileId)
    .$if(nodeId !== undefined, (query) => query.where('node_id', '=', nodeId as string))
    .orderBy('place', 'desc')
    .executeTakeFirst()
  return row && (await decompress(row.elements))
}

export type JobFiles = { inputs: string[]; outputs: { fileId: string; nodeId: string }[] }

/** Files of each job, and the nodes with output for them. */
export async function filesOf(db: Database, jobs: JobRow[]): Promise<Map<string, JobFiles>> {
  // Jobs of uploaded files have no connectors.
  const withFiles = jobs.filter(({ settings }) => !settings.source_id && !settings.destination_id)
  const ids = withFiles.map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ job_id: string; file_id: string; node_ids: string[] }>`
    select u.job_id, u.file_id, coalesce(array_agg(o.node_id order by o.place) filter (where o.node_id is not null), '{}') as node_ids
    from uploads u left join outputs o using (job_id, file_id)
    where u.job_id = any(${ids}::uuid[]) group by u.job_id, u.file_id, u.place order by u.place
  `.execute(db)
  return new Map(
    ids.map((id) => {
      const own = rows.filter((row) => row.job_id === id)
      return [
        id,
        {
          inputs: own.map((row) => row.file_id),
          outputs: own.flatMap((row) => row.node_ids.map((nodeId) => ({ fileId: row.file_id, nodeId }))),
        },
      ]
    }),
  )
}

/** Empties files whose job has ended, and deletes results after a week. */
export async function pruneUploads(db: Database): Promise<void> {
  await inBatches(() =>
    sql`
      update uploads set content = null where (job_id, file_id) in (
        select u.job_id, u.file_id from uploads as u join jobs as j on j.id = u.job_id
        where u.content is not null and j.status <> all(${ACTIVE_STATUSES}::text[]) limit ${BATCH_ROWS}
      )
    `.execute(db),
  )
  await inBatches(() =>
    sql`
      delete from outputs where (job_id, file_id, node_id) in (
        select job_id, file_id, node_id from outputs
        where created_at < now() - ${RETENTION}::interval limit ${BATCH_ROWS}
      )
    `.execute(db),
  )
}

// Small batches, because a file has megabytes and running jobs share the database.
const BATCH_ROWS = 500

async function inBatches(batch: () => Promise<{ numAffectedRows?: bigint }>): Promise<void> {
  while (Number((await batch()).numAffectedRows ?? 0) === BATCH_ROWS);
}
