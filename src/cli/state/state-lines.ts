import type { FileHandle } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import type { Entry } from '../../ledger-entry.ts'

export type StateLine =
  | { millrace_ingest_state: 1; target: string }
  | { fence: number; entry: Entry }
  | { fence: number; forget: string[] }
  | { fence: number; decisions: DecisionChange }

/** Times are ISO 8601. */
export type DecisionChange = {
  scope: string
  put: { key: string; value: unknown; checkedAt: string }[]
  drop: string[]
}

const FILE_START = '{"millrace_ingest_state":1,'
const NEWLINE = 10
const CHUNK = 1 << 20

export function stateLine(line: StateLine): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`)
}

/** Skips a last line that a crash cut off. */
export async function* readStateLines(
  file: FileHandle,
  path: string,
): AsyncGenerator<{ line: StateLine; at: number; length: number }> {
  const chunk = Buffer.alloc(CHUNK)
  let rest = Buffer.alloc(0)
  let at = 0
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, position)
    if (bytesRead === 0) return
    if (position === 0 && !isStateFile(chunk.subarray(0, bytesRead))) throw notStateFile(path)
    position += bytesRead
    let text = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
    for (let end = text.indexOf(NEWLINE); end !== -1; end = text.indexOf(NEWLINE)) {
      yield { line: parse(text.subarray(0, end), { path, at }), at, length: end + 1 }
      at += end + 1
      text = text.subarray(end + 1)
    }
    rest = Buffer.from(text)
  }
}

/** Also true for a header that a kill cut short. */
function isStateFile(bytes: Buffer): boolean {
  const start = bytes.subarray(0, FILE_START.length).toString('utf8')
  return FILE_START.startsWith(start)
}

function parse(bytes: Buffer, { path, at }: { path: string; at: number }): StateLine {
  try {
    const line = JSON.parse(bytes.toString('utf8')) as Partial<Record<string, unknown>>
    if (isKnown(line, at === 0)) return line as StateLine
  } catch {
    // The error below names the position.
  }
  throw at === 0 ? notStateFile(path) : refusal(path, `is damaged at byte ${at}`)
}

function notStateFile(path: string): AppError {
  return refusal(path, 'is not a state file of millrace-ingest')
}

function refusal(path: string, what: string): AppError {
  return new AppError('invalid_request', `${path} ${what}`, {
    fix: 'Choose another file with --state, or remove it: the next run then writes everything again',
  })
}

function isDecisions(value: unknown): boolean {
  const { scope, put, drop } = (value ?? {}) as Partial<DecisionChange>
  return typeof scope === 'string' && Array.isArray(put) && Array.isArray(drop)
}

function isKnown(line: Partial<Record<string, unknown>>, isFirst: boolean): boolean {
  if (isFirst) return line.millrace_ingest_state === 1 && typeof line.target === 'string'
  if (typeof line.fence !== 'number') return false
  if (Array.isArray(line.forget) || isDecisions(line.decisions)) return true
  const { recordId, elementIds } = (line.entry ?? {}) as Partial<Entry>
  return typeof recordId === 'string' && Array.isArray(elementIds)
}
