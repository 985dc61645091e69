import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { backupMac, checkOf, type MasterKey } from '../vault.ts'

/** A gzip file of JSON lines: header, tables with their rows, sequences, end, and the HMAC of all lines before it. */
export const FORMAT = 1

const header = z.object({
  product: z.literal('millrace'),
  format: z.number(),
  release: z.string(),
  created_at: z.string(),
  migrations: z.array(z.string()),
  queue_version: z.number(),
  /** Which master keys the backup needs; checks reveal nothing about a key. */
  keys: z.object({
    /** The id of the key that authenticates the file; null for a key without one. */
    id: z
      .string()
      .regex(/^[\w.-]{1,32}$/)
      .nullable(),
    key_check: z.string(),
    registered: z.array(z.object({ id: z.string(), key_check: z.string() })),
  }),
})
const table = z.object({
  table: z.object({
    schema: z.string(),
    name: z.string(),
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
  }),
})
/** Each value in PostgreSQL's own text form. */
const rows = z.object({ rows: z.array(z.array(z.string().nullable())) })
const sequences = z.object({
  sequences: z.array(z.object({ table: z.string(), column: z.string(), next: z.string() })),
})
const end = z.object({ end: z.object({ tables: z.record(z.string(), z.number()), rows: z.number() }) })
const part = z.union([table, rows, sequences, end])
const seal = z.object({ hmac: z.string().regex(/^[0-9a-f]{64}$/) })

export type BackupHeader = z.infer<typeof header>
type BackupPart = z.infer<typeof part>
type BackupEnd = z.infer<typeof end>['end']

export type BackupWriter = { write(line: object): Promise<void> }

/** The file appears under its name only when it is complete. */
export async function writeBackupFile<T>(
  { path, key }: { path: string; key: MasterKey },
  work: (writer: BackupWriter) => Promise<T>,
): Promise<T> {
  const partial = `${path}.partial`
  await rm(partial, { force: true })
  const file = createWriteStream(partial, { mode: 0o600, flags: 'wx', flush: true })
  const gzip = createGzip()
  const mac = backupMac(key)
  gzip.pipe(file)
  const failure = new AbortController()
  for (const stream of [gzip, file]) stream.on('error', (error: Error) => failure.abort(error))
  const write = async (line: object) => {
    const text = Buffer.from(`${JSON.stringify(line)}\n`)
    mac.update(text)
    failure.signal.throwIfAborted()
    if (!gzip.write(text)) await once(gzip, 'drain', { signal: failure.signal })
  }
  try {
    const result = await work({ write })
    gzip.end(`${JSON.stringify({ hmac: mac.digest('hex') })}\n`)
    await finished(file)
    await rename(partial, path)
    return result
  } catch (error) {
    gzip.destroy()
    file.destroy()
    await rm(partial, { force: true })
    // `once` reports an abort; its reason is the failure of the file.
    throw failure.signal.aborted ? unwritable(path, failure.signal.reason) : error
  }
}

export type CheckedBackup = { path: string; key: MasterKey; header: BackupHeader; end: BackupEnd }

/** Reads and authenticates the whole file, before anything is changed. */
export async function checkBackupFile(path: string, keys: MasterKey[]): Promise<CheckedBackup> {
  const header = await readHeader(path)
  const key = authenticatingKey(path, header, keys)
  let found: BackupEnd | null = null
  let count = 0
  for await (const part of readBackupParts({ path, key })) {
    if (found) throw incomplete(path)
    if ('rows' in part) count += part.rows.length
    if ('end' in part) found = part.end
  }
  if (found?.rows !== count) throw incomplete(path)
  return { path, key, header, end: found }
}

/** Everything after the header. Fails at the end unless the key authenticates what was read. */
export async function* readBackupParts({
  path,
  key,
}: Pick<CheckedBackup, 'path' | 'key'>): AsyncGenerator<BackupPart> {
  const mac = backupMac(key)
  let last: Buffer | null = null
  let isHeader = true
  for await (const line of linesOf(path)) {
    if (last) {
      if (!isHeader) yield parsePart(path, last)
      isHeader = false
      mac.update(last).update('\n')
    }
    last = line
  }
  const sealed = seal.safeParse(jsonOf(last ?? Buffer.alloc(0)))
  if (!sealed.success) throw incomplete(path, sealed.error)
  if (!timingSafeEqual(mac.digest(), Buffer.from(sealed.data.hmac, 'hex'))) throw notAuthentic(path)
}

async function readHeader(path: string): Promise<BackupHeader> {
  for await (const line of linesOf(path)) return parseHeader(path, line)
  throw incomplete(path)
}

function authenticatingKey(
  path: string,
  { keys: { id, key_check } }: BackupHeader,
  keys: MasterKey[],
): MasterKey {
  const found = keys.find((key) => checkOf(key) === key_check)
  if (found) return found
  const name = id === null ? 'a master key without an id' : `the master key "${id}"`
  throw new AppError('secret_unreadable', `${path} was authenticated with ${name}, which is not listed`, {
    fix: `Nothing was changed. Add ${id === null ? 'that key' : `${id}:KEY`} to MILLRACE_MASTER_KEY, or to the key file in the data directory`,
  })
}

/** Not node:readline, which also splits at U+2028 within a value. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw new AppError('not_found', `reading the backup ${path} (${cause.code})`, { cause })
  })
  await file.close()
  const source = createReadStream(path)
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  let pieces: Buffer[] = []
  try {
    for await (const chunk of source.pipe(gunzip) as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        yield Buffer.concat([...pieces, chunk.subarray(from, at)])
        pieces = []
        from = at + 1
      }
      if (from < chunk.length) pieces.push(chunk.subarray(from))
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'Z_DATA_ERROR') throw foreign(path, error)
    if (code === 'Z_BUF_ERROR') throw incomplete(path, error)
    throw error
  } finally {
    source.destroy()
  }
  // gzip ignores zeros after its end.
  if (pieces.length > 0 || gunzip.bytesWritten !== source.bytesRead) throw incomplete(path)
}

function parseHeader(path: string, line: Buffer): BackupHeader {
  const parsed = header.safeParse(jsonOf(line))
  if (!parsed.success) throw foreign(path, parsed.error)
  return parsed.data
}

function parsePart(path: string, line: Buffer): BackupPart {
  const parsed = part.safeParse(jsonOf(line))
  if (!parsed.success) throw incomplete(path, parsed.error)
  return parsed.data
}

function jsonOf(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return null
  }
}

function foreign(path: string, cause?: unknown): AppError {
  return new AppError('not_possible', `${path} is not a backup of Millrace, or it is damaged`, { cause })
}

function incomplete(path: string, cause?: unknown): AppError {
  return new AppError('not_possible', `the backup ${path} is incomplete or damaged`, {
    cause,
    fix: 'Nothing was changed. Copy the file again, or use another backup',
  })
}

function notAuthentic(path: string): AppError {
  return new AppError('not_possible', `the backup ${path} was changed after it was written, or damaged`, {
    fix: 'Nothing was changed. Use another copy, and find out who can write to this one',
  })
}

function unwritable(path: string, cause: unknown): AppError {
  return new AppError('not_possible', `writing the backup ${path} (${(cause as Error).message})`, { cause })
}
