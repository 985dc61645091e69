import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import type { Entry } from '../../ledger-entry.ts'
import { createStateDecisions, type StateDecisions } from './kept-decisions.ts'
import { type DecisionChange, readStateLines, type StateLine, stateLine } from './state-lines.ts'
import type { Lock } from './state-lock.ts'

/** The lines of a state file, of which the last one about a document counts. */
export type StateLog = {
  decisions: StateDecisions
  /** Higher than every fence before. */
  nextFence(): number
  recordIds(): string[]
  countInIndex(): number
  read(recordId: string): Promise<Entry | undefined>
  /** In batches; ids without an entry are left out. */
  entries(recordIds: Iterable<string>): AsyncGenerator<Entry[]>
  /** Returns once the lines are on disk. */
  add(lines: StateLine[]): Promise<void>
  /** Compacts the file if most lines are outdated. */
  close(): Promise<void>
}

type Place = { at: number; length: number }
/** What the lines so far say. */
type Known = {
  places: Map<string, Place & { isInIndex: boolean }>
  fence: number
  outdatedLines: number
  isOtherTarget: boolean
  end: number
}

const BATCH = 500
/** Lines of a new file that hold no entry. */
const HEADER_LINES = 1

export async function openStateLog(path: string, target: string, stateLock: Lock): Promise<StateLog> {
  const file = await openFile(path)
  const header: StateLine = { millrace_ingest_state: 1, target }
  const known: Known = { places: new Map(), fence: 0, outdatedLines: 0, isOtherTarget: false, end: 0 }
  const decisions = createStateDecisions((change) => add([{ fence: known.fence, decisions: change }]))

  const record = (line: StateLine, place: Place) => {
    if ('millrace_ingest_state' in line) known.isOtherTarget = line.target !== target
    else noteLine(known, line, place)
    if ('decisions' in line) decisions.record(line.decisions)
    known.end = place.at + place.length
  }

  // One write at a time, because a kill between parallel writes leaves a hole. A failed write stops all later ones.
  let written = Promise.resolve()
  const add = (lines: StateLine[]): Promise<void> => {
    written = written.then(() => append(lines))
    return written
  }
  const append = async (lines: StateLine[]): Promise<void> => {
    const texts = lines.map(stateLine)
    await stateLock.assertHeld()
    await write(file, Buffer.concat(texts), { path, at: known.end })
    for (const [index, line] of lines.entries()) record(line, { at: known.end, length: texts[index]!.length })
  }

  const read = async (recordId: string) => {
    const place = known.places.get(recordId)
    return place && readEntry(file, place)
  }
  const entries = (recordIds: Iterable<string>) => inBatches(recordIds, read)

  try {
    for await (const { line, ...place } of readStateLines(file, path)) record(line, place)
    if (known.isOtherTarget && known.places.size > 0) throw targetMismatch(path)
    // An empty state of another target is reused for its fence.
    if (known.isOtherTarget) known.end = 0
    await file.truncate(known.end)
    if (known.end === 0) await add([header, { fence: known.fence, forget: [] }])
    await rm(`${path}.part`, { force: true }).catch(() => {})
  } catch (error) {
    await file.close()
    throw error
  }

  return {
    decisions,
    nextFence: () => {
      known.fence = Math.max(known.fence + 1, Date.now())
      return known.fence
    },
    recordIds: () => [...known.places.keys()],
    countInIndex: () => known.places.values().reduce((sum, { isInIndex }) => sum + (isInIndex ? 1 : 0), 0),
    read,
    entries,
    add,
    async close() {
      const { fence, places } = known
      const kept = { fence, decisions: decisions.all(), entries: entries(places.keys()) }
      const compactIfHeld = () => stateLock.assertHeld().then(() => compact(path, header, kept))
      // After a failure the uncompacted file stays valid.
      if (known.outdatedLines > places.size + HEADER_LINES) await compactIfHeld().catch(() => {})
      await file.close()
    },
  }
}

async function readEntry(file: FileHandle, { at, length }: Place): Promise<Entry> {
  const bytes = Buffer.alloc(length)
  await file.read(bytes, 0, length, at)
  return (JSON.parse(bytes.toString('utf8')) as { entry: Entry }).entry
}

async function* inBatches(
  recordIds: Iterable<string>,
  read: (recordId: string) => Promise<Entry | undefined>,
): AsyncGenerator<Entry[]> {
  let batch: Entry[] = []
  for (const recordId of recordIds) {
    const entry = await read(recordId)
    if (entry) batch.push(entry)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

function noteLine(known: Known, line: Exclude<StateLine, { target: string }>, place: Place): void {
  const { places } = known
  known.fence = Math.max(known.fence, line.fence)
  if ('entry' in line) {
    const { recordId, skipped } = line.entry
    if (places.has(recordId)) known.outdatedLines++
    places.set(recordId, { ...place, isInIndex: skipped === undefined })
    return
  }
  known.outdatedLines++
  if ('forget' in line) for (const recordId of line.forget) if (places.delete(recordId)) known.outdatedLines++
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
