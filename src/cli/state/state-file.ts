import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import type { Ledger } from '../../ingest/ledger.ts'
import type { RunLedger } from '../../ingest/run-ledger.ts'
import type { Entry } from '../../ledger-entry.ts'
import { readStateLines, type StateLine, stateLine } from './state-lines.ts'
import { type Lock, lock } from './state-lock.ts'

/**
 * What earlier runs have written, in one file: a line for every change of an entry, the newest of a document counts.
 * Lines are only ever added, so that a run that is killed leaves at worst half of its last line, which is cut off.
 * Memory holds where the entry of each document stands, about 100 bytes each, and no entry.
 */
export type StateFile = RunLedger & {
  /** Leaves out the lines that newer ones have replaced, where they are the most, and lets go of the file. */
  close(): Promise<void>
}

type Place = { at: number; length: number; isInIndex: boolean }

const BATCH = 500
/** Lines of a new state that hold no entry. */
const SPARED = 1

/** `target` names what is carried where: a state of something else would leave orphans behind, and is refused. */
export async function openState(path: string, target: string): Promise<StateFile> {
  const held = await lock(path)
  try {
    const state = await load(path, target, held)
    return { ...state, close: () => state.close().finally(() => held.release()) }
  } catch (error) {
    await held.release()
    throw error
  }
}

async function load(path: string, target: string, held: Lock): Promise<StateFile> {
  const file = await openFile(path)
  const header: StateLine = { millrace_ingest_state: 1, target }
  const places = new Map<string, Place>()
  let end = 0
  let fence = 0
  let replaced = 0
  let isForeign = false

  const note = (line: StateLine, place: { at: number; length: number }) => {
    if ('millrace_ingest_state' in line) {
      isForeign = line.target !== target
      return
    }
    fence = Math.max(fence, line.fence)
    if ('forget' in line) {
      replaced++
      for (const recordId of line.forget) if (places.delete(recordId)) replaced++
      return
    }
    if (places.has(line.entry.recordId)) replaced++
    places.set(line.entry.recordId, { ...place, isInIndex: line.entry.skipped === undefined })
  }

  // One after the other: killed between two that are written at once, the file would have a hole. After one that
  // failed there is no other, since half of it may be there.
  let written = Promise.resolve()
  const add = (lines: StateLine[]): Promise<void> => {
    written = written.then(() => append(lines))
    return written
  }
  const append = async (lines: StateLine[]): Promise<void> => {
    const texts = lines.map(stateLine)
    const bytes = Buffer.concat(texts)
    await held.assertHeld()
    await write(file, bytes, { path, at: end })
    for (const [index, line] of lines.entries()) {
      const { length } = texts[index]!
      note(line, { at: end, length })
      end += length
    }
  }

  const read = async ({ at, length }: Place): Promise<Entry> => {
    const bytes = Buffer.alloc(length)
    await file.read(bytes, 0, length, at)
    return (JSON.parse(bytes.toString('utf8')) as { entry: Entry }).entry
  }

  try {
    for await (const { line, at, length } of readStateLines(file, path)) {
      note(line, { at, length })
      end = at + length
    }
    if (isForeign && places.size > 0) throw foreign(path)
    // Of a state that holds nothing, such as after a first try with a wrong address, only the fence is of use.
    if (isForeign || end === 0) {
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
    const own = fence
    const put = (entries: Entry[]) =>
      entries.length > 0 ? add(entries.map((entry) => ({ fence: own, entry }))) : Promise.resolve()
    return {
      fence: own,
      find,
      intend: put,
      settle: put,
      forget: async (recordIds) => {
        if (recordIds.length > 0) await add([{ fence: own, forget: recordIds }])
      },
    }
  }

  async function find(recordIds: string[]): Promise<Map<string, Entry>> {
    const found = new Map<string, Entry>()
    for (const recordId of recordIds) {
      const place = places.get(recordId)
      if (place) found.set(recordId, await read(place))
    }
    return found
  }

  async function* all(ids: Iterable<string>): AsyncGenerator<Entry[]> {
    let batch: Entry[] = []
    for (const recordId of ids) {
      const place = places.get(recordId)
      if (place) batch.push(await read(place))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }

  return {
    find,
    forTask,
    count: () => places.values().reduce((sum, place) => sum + (place.isInIndex ? 1 : 0), 0),
    // A list of its own: entries are forgotten while it is gone through.
    others: (seen) => all([...places.keys()].filter((recordId) => !seen.has(recordId))),
    async close() {
      const entries = all([...places.keys()])
      const shorten = () => held.assertHeld().then(() => compact(path, header, { fence, entries }))
      // Where there is no room for it, or another run took over, the long file is as good.
      if (replaced > places.size + SPARED) await shorten().catch(() => {})
      await file.close()
    },
  }
}

/** Written beside and put in place: killed in between, the long file is still the state. */
async function compact(
  path: string,
  header: StateLine,
  { fence, entries }: { fence: number; entries: AsyncIterable<Entry[]> },
): Promise<void> {
  const beside = `${path}.part`
  const file = await open(beside, 'w', 0o600)
  try {
    await file.writeFile(Buffer.concat([stateLine(header), stateLine({ fence, forget: [] })]))
    for await (const batch of entries)
      await file.writeFile(Buffer.concat(batch.map((entry) => stateLine({ fence, entry }))))
    await file.sync()
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
}

/** On the disk before anything is done that relies on it. */
async function write(
  file: FileHandle,
  bytes: Buffer,
  { path, at }: { path: string; at: number },
): Promise<void> {
  try {
    // A disk that becomes full takes a part, and refuses only the next.
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
      fix: 'Choose another place with --state, or state: in the job file',
    })
  }
}

function foreign(path: string): AppError {
  return new AppError(
    'invalid_request',
    `the state file ${path} is of another source or destination than this run has`,
    { fix: 'Name a state file of its own with --state, or state: in the job file' },
  )
}
