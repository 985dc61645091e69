import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { AppError } from '../../errors.ts'

/** A gzip file of JSON lines: header, tables with their rows, sequences, end. */
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
const end = z.object({
  end: z.object({ tables: z.record(z.string(), z.number()), rows: z.number(), sha256: z.string() }),
})
const part = z.union([table, rows, sequences, end])

export type BackupHeader = z.infer<typeof header>
export type BackupPart = z.infer<typeof part>
export type BackupEnd = z.infer<typeof end>['end']

export type BackupWriter = {
  write(line: object): Promise<void>
  /** The digest of all lines so far. */
  digest(): string
}

/** The file appears under its name only when it is complete. */
export async function writeBackupFile<T>(
  path: string,
  work: (writer: BackupWriter) => Promise<T>,
): Promise<T> {
  const partial = `${path}.partial`
  await rm(partial, { force: true })
  const file = createWriteStream(partial, { mode: 0o600, flags: 'wx', flush: true })
  const gzip = createGzip()
  const hash = createHash('sha256')
  gzip.pipe(file)
  const failure = new AbortController()
  for (const stream of [gzip, file]) stream.on('error', (error: Error) => failure.abort(error))
  try {
    const result = await work({
      async write(line) {
        const text = Buffer.from(`${JSON.stringify(line)}\n`)
        hash.update(text)
        failure.signal.throwIfAborted()
        if (!gzip.write(text)) await once(gzip, 'drain', { signal: failure.signal })
      },
      digest: () => hash.copy().digest('hex'),
    })
    gzip.end()
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

/** Reads the whole file and checks it, before anything is changed. */
export async function checkBackupFile(path: string): Promise<{ header: BackupHeader; end: BackupEnd }> {
  const hash = createHash('sha256')
  let found: BackupHeader | null = null
  let ending: BackupEnd | null = null
  let count = 0
  for await (const line of linesOf(path)) {
    if (ending) throw incomplete(path)
    if (!found) found = parseHeader(path, line)
    else {
      const next = parsePart(path, line)
      if ('rows' in next) count += next.rows.length
      if ('end' in next) {
        ending = next.end
        if (ending.sha256 !== hash.copy().digest('hex') || ending.rows !== count) throw incomplete(path)
      }
    }
    hash.update(line).update('\n')
  }
  if (!found) throw foreign(path)
  if (!ending) throw incomplete(path)
  return { header: found, end: ending }
}

/** Everything after the header. */
export async function* readBackupParts(path: string): AsyncGenerator<BackupPart> {
  let isHeader = true
  for await (const line of linesOf(path)) {
    if (!isHeader) yield parsePart(path, line)
    isHeader = false
  }
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
  if (pieces.length > 0) throw incomplete(path)
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

function unwritable(path: string, cause: unknown): AppError {
  return new AppError('not_possible', `writing the backup ${path} (${(cause as Error).message})`, { cause })
}
