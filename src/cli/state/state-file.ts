import type { DecisionStore } from '../../connectors/type.ts'
import type { Ledger } from '../../ingest/ledger.ts'
import type { RunLedger } from '../../ingest/run-ledger.ts'
import type { Entry } from '../../ledger-entry.ts'
import { lock } from './state-lock.ts'
import { openStateLog, type StateLog } from './state-log.ts'

/** The ledger as a file: one line per change, the last one counts. Needs 100 bytes of memory per document. */
type StateFile = RunLedger & {
  decisions: DecisionStore
  /** Compacts the file if most lines are outdated, and releases it. */
  close(): Promise<void>
}

/** Refuses the state of another `target`, since its elements would never be removed. */
export async function openState(path: string, target: string): Promise<StateFile> {
  const stateLock = await lock(path)
  try {
    const log = await openStateLog(path, target, stateLock)
    return { ...ledgerOf(log), close: () => log.close().finally(() => stateLock.release()) }
  } catch (error) {
    await stateLock.release()
    throw error
  }
}

function ledgerOf(log: StateLog): Omit<StateFile, 'close'> {
  const find = async (recordIds: string[]): Promise<Map<string, Entry>> => {
    const found = new Map<string, Entry>()
    for (const recordId of recordIds) {
      const entry = await log.read(recordId)
      if (entry) found.set(recordId, entry)
    }
    return found
  }
  return {
    decisions: log.decisions,
    find,
    forTask: () => taskLedger(log, find),
    count: log.countInIndex,
    // The ids are a copy, since entries are removed during the iteration.
    entriesExcept: (excluded) => log.entries(log.recordIds().filter((recordId) => !excluded.has(recordId))),
  }
}

function taskLedger(log: StateLog, find: Ledger['find']): Ledger {
  const fence = log.nextFence()
  const put = async (entries: Entry[]) => {
    if (entries.length > 0) await log.add(entries.map((entry) => ({ fence, entry })))
  }
  return {
    fence,
    find,
    intend: put,
    settle: async (entries) => {
      await put(entries)
      return []
    },
    forget: async (recordIds) => {
      if (recordIds.length > 0) await log.add([{ fence, forget: recordIds }])
    },
  }
}
