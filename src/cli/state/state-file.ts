import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { DecisionStore } from '../../connectors/type.ts'
import { AppError } from '../../errors.ts'
import type { Ledger } from '../../ingest/ledger.ts'
import type { RunLedger } from '../../ingest/run-ledger.ts'
import type { Entry } from '../../ledger-entry.ts'
import { createStateDecisions } from './kept-decisions.ts'
import { type DecisionChange, readStateLines, type StateLine, stateLine } from './state-lines.ts'
import { type Lock, lock } from './state-lock.ts'

/** The ledger as a file: one line per change, the last one counts. Needs 100 bytes of memory per document. */
export type StateFile = RunLedger & {
  decisions: DecisionStore
  /** Compacts the file if most lines are outdated, and releases it. */
  close(): Promise<void>
}

type Position = { at: number; length: number; isInIndex: boolean }

const BATCH = 500
/** Lines of a new file that hold no entry. */
const HEADER_LINES = 1

/** Refuses the state of another `target`, since its elements would never be removed. */
export async function openState(path: string, target: string): Promise<StateFile> {
  const stateLock = await lock(path)
  try {
    const state = await load(path, target, stateLock)
    return { ...state, close: () => state.close().finally(() => stateLock.release()) }
  } catch (error) {
    await stateLock.release()
    throw error
  }
}

async function load(path: string, target: string, stateLock: Lock): Promise<StateFile> {
  const file = await openFile(path)
  const header: StateLine = { millrace_ingest_state: 1, target }
  const positions = new Map<string, Position>()
  let end = 0
  let fence = 0
  let outdatedLines = 0
  let isOtherTarget = false

  const record = (line: StateLine, position: { at: number; length: number }) => {
    if ('millrace_ingest_state' in line) {
      isOtherTarget = line.target !== target
      return
    }
    fence = Math.max(fence, line.fence)
    if ('decisions' in line) {
      outdatedLines++
      decisions.record(line.decisions)
      return
    }
    if ('forget' in line) {
      outdatedLines++
      for (const recordId of line.forget) if (positions.delete(recordId)) outdatedLines++
      return
    }
    if (positions.has(line.entry.recordId)) outdatedLines++
    positions.set(line.entry.recordId, { ...position, isInIndex: line.entry.skipped === undefined })
  }

  const decisions = createStateDecisions((change) => add([{ fence, decisions: change }]))

  // One write at a time, because a kill between parallel writes leaves a hole. A failed write stops all later ones.
  let written = Promise.resolve()
  const add = (lines: StateLine[]): Promise<void> => {
    written = written.then(() => append(lines))
    return written
  }
  const append = async (lines: StateLine[]): Promise<void> => {
    const texts = lines.map(stateLine)
    const bytes = Buffer.concat(texts)
    await stateLock.assertHeld()
    await write(file, bytes, { path, at: end })
    for (const [index, line] of lines.entries()) {
      const { length } = texts[index]!
      record(line, { at: end, length })
      end += length
    }
  }

  const read = async ({ at, length }: Position): Promise<Entry> => {
    const bytes = Buffer.alloc(length)
    await file.read(bytes, 0, length, at)
    return (JSON.parse(bytes.toString('utf8')) as { entry: Entry }).entry
  }

  try {
    for await (const { line, at, length } of readStateLines(file, path)) {
      record(line, { at, length })
      end = at + length
    }
    if (isOtherTarget && positions.size > 0) throw targetMismatch(path)
    // An empty state of another target is reused for its fence.
    if (isOtherTarget || end === 0) {
      end = 0
      await file.truncate(0)
      await add([header, { fence, forget: [] }])
    } else await file.truncate(end)
    await rm(`${path}.part`, { force: true }).catch(() => {})
  } catch (error) {
    await file.close()
    throw error
  }

  const forTask = (): Ledger => {
    fence = Math.max(fence + 1, Date.now())
    const taskFence = fence
    const put = (entries: Entry[]) =>
      entries.length > 0 ? add(entries.map((entry) => ({ fence: taskFence, entry }))) : Promise.resolve()
    return {
      fence: taskFence,
      find,
      intend: put,
      settle: async (entries) => {
        await put(entries)
        return []
      },
      forget: async (recordIds) => {
        if (recordIds.length > 0) await add([{ fence: taskFence, forget: recordIds }])
      },
    }
  }

  async function find(recordIds: string[]): Promise<Map<string, Entry>> {
    const found = new Map<string, Entry>()
    for (const recordId of recordIds) {
      const position = positions.get(recordId)
      if (position) found.set(recordId, await read(position))
    }
    return found
  }

  async function* all(ids: Iterable<string>): AsyncGenerator<Entry[]> {
    let batch: Entry[] = []
    for (const recordId of ids) {
      const position = positions.get(recordId)
      if (position) batch.push(await read(position))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }

  return {
    decisions,
    find,
    forTask,
    count: () => positions.values().reduce((sum, position) => sum + (position.isInIndex ? 1 : 0), 0),
    // A copy, since entries are removed during the iteration.
    entriesExcept: (excluded) => all([...positions.keys()].filter((recordId) => !excluded.has(recordId))),
    async close() {
      const entries = all([...positions.keys()])
      const compactIfHeld = () =>
        stateLock
          .assertHeld()
          .then(() => compact(path, header, { fence, decisions: decisions.all(), entries }))
      // After a failure the uncompacted file stays valid.
      if (outdatedLines > positions.size + HEADER_LINES) await compactIfHeld().catch(() => {})
      await file.close()
    },
  }
}

/** Renames a new file over the old one, so a kill leaves the old file. */
async function compact(
  path: string,
  header: StateLine,
  kept: { fence: number; decisions: DecisionChange[]; entries: AsyncIterable<Entry[]> },
): Promise<void> {
  const { fence, decisions, entries } = kept
  const temporary = `${path}.part`
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(Buffer.concat([stateLine(header), stateLine({ fence, forget: [] })]))
    for (const change of decisions) await file.writeFile(stateLine({ fence, decisions: change }))
    for await (const batch of entries)
      await file.writeFile(Buffer.concat(batch.map((entry) => stateLine({ fence, entry }))))
    await file.sync()
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
}

/** Returns once the bytes are on disk. */
async function write(
  file: FileHandle,
  bytes: Buffer,
  { path, at }: { path: string; at: number },
): Promise<void> {
  try {
    // A full disk accepts a part and refuses the next write.
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done)
      done += bytesWritten
    }
    await file.datasync()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOSPC' ? 'the disk is full' : code
    throw new AppError('destination_read_only', `the state file ${path} cannot be written: ${why}`, {
      cause: error,
    })
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return open(path, 'wx+', 0o600)
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new AppError('invalid_request', `the state file ${path} cannot be opened (${code})`, {
      cause: error,
      fix: 'Choose another path with --state, or state: in the job file',
    })
  }
}

function targetMismatch(path: string): AppError {
  return new AppError('invalid_request', `the state file ${path} belongs to another source or destination`, {
    fix: 'Choose another state file with --state, or state: in the job file',
  })
}
