import { createHash } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'

/** One element as a line of a file. */
export type ElementLine = {
  record_id: string
  element_id: string
  metadata: Record<string, unknown>
} & Record<string, unknown>

/** Readable characters of the id, plus a hash to keep names unique and safe. */
export function fileOf(folder: string, recordId: string): string {
  const readable = recordId.replaceAll(/[^A-Za-z0-9-]+/g, '_').slice(0, 80)
  const hash = createHash('sha256').update(recordId).digest('hex').slice(0, 12)
  return join(folder, `${readable}-${hash}.jsonl`)
}

/** The lines of a file, or none if it does not exist. */
export async function readElementLines(path: string): Promise<ElementLine[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw fileError('reading', path, error)
  }
  try {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ElementLine)
  } catch (error) {
    throw new AppError('destination_rejected', `reading ${path}: it is not valid JSON Lines`, {
      cause: error,
      fix: 'Remove the file and run again with --reprocess-all',
    })
  }
}

/** Writes atomically: to a temporary file, synced, then renamed. */
export async function replaceLines(path: string, lines: ElementLine[]): Promise<void> {
  const temporary = `${path}.part`
  try {
    if (lines.length === 0) return await rm(path, { force: true })
    const file = await open(temporary, 'w')
    try {
      await file.writeFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await removePartial(path).catch(() => {})
    throw fileError('writing', path, error)
  }
}

/** Removes what a killed run left of its last write. */
export async function removePartial(path: string): Promise<void> {
  await rm(`${path}.part`, { force: true })
}

/** Ends the job, because a full or read-only disk would fail every document for the same reason. */
export function fileError(doing: string, path: string, error: unknown): AppError {
  const { code, message } = error as NodeJS.ErrnoException
  const [why, fix] = REASONS.get(code ?? '') ?? [code ?? message, undefined]
  return new AppError('destination_read_only', `${doing} ${path}: ${why}`, {
    cause: error,
    fix,
  })
}

const REASONS = new Map<string, readonly [string, string]>([
  ['ENOSPC', ['the disk is full', 'Free some space and run again: it continues where it stopped']],
  ['EDQUOT', ['your disk quota is full', 'Free some space and run again: it continues where it stopped']],
  ['EFBIG', ['the file would be larger than allowed', 'Raise the limit (ulimit -f) and run again']],
  ['EACCES', ['permission denied', 'Run as a user who may write there, or choose another folder']],
  ['EPERM', ['permission denied', 'Run as a user who may write there, or choose another folder']],
  ['EROFS', ['the file system is read-only', 'Choose another folder']],
  ['ENOTDIR', ['a part of the path is a file', 'Choose another folder']],
  ['EEXIST', ['it is a file', 'Choose another folder']],
])
