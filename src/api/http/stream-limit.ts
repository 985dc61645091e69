import { randomUUID } from 'node:crypto'
import { createLimiter, within } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'
import { forgetStreams, recordOpened, recordStreams } from '../../store/counts/open-streams.ts'
import type { Database } from '../../store/database.ts'

/** Each stream holds a connection and a query per second for its job. */
const MAX_STREAMS_PER_CALLER = 20
const MAX_STREAMS_PER_WORKSPACE = 200
const MAX_STREAMS = 1000

/** Several times within the time after which other processes forget the streams of this one. */
const RENEW_MS = 10_000
/** A slow database delays a stream by this at most. */
const MAX_WAIT_MS = 5_000

type StreamLimit = {
  /** The returned function gives the place back. */
  open(from: { caller: string; workspaceId: string }): Promise<() => void>
  close(): Promise<void>
}

type StreamMaximums = { perCaller?: number; perWorkspace?: number; total?: number }

/** The maximums of a caller and a workspace hold over all processes, `total` in this one. Without `db`, all hold in this one. */
export function createStreamLimit(db: Database | null, maximums: StreamMaximums = {}): StreamLimit {
  const { perCaller = MAX_STREAMS_PER_CALLER, perWorkspace = MAX_STREAMS_PER_WORKSPACE } = maximums
  const { total = MAX_STREAMS } = maximums
  const process = randomUUID()
  const open = new Map<string, number>()
  /** Writes counts one after the other, so that an earlier one does not replace a later one. */
  const inOrder = createLimiter(1)
  let all = 0

  const count = (name: string) => ({ name, open: open.get(name) ?? 0 })
  const change = (name: string, by: 1 | -1) => {
    const after = count(name).open + by
    if (after > 0) open.set(name, after)
    else open.delete(name)
  }
  const record = (names: string[]) =>
    db && inOrder(() => recordStreams(db, process, names.map(count))).catch(() => {})
  const renewal = setInterval(() => record([...open.keys()]), RENEW_MS)
  renewal.unref()

  return {
    async open({ caller, workspaceId }) {
      const [own, shared] = [`caller ${caller}`, `workspace ${workspaceId}`]
      const tooMany = {
        [own]: `you have ${perCaller} event streams open, the limit`,
        [shared]: `the workspace has ${perWorkspace} event streams open, the limit`,
      }
      if (count(own).open >= perCaller) throw refusal(tooMany[own])
      if (count(shared).open >= perWorkspace) throw refusal(tooMany[shared])
      if (all >= total) throw refusal(`this server has ${total} event streams open, the limit`)
      // Counted before the database answers, so that streams that open together count too.
      for (const name of [own, shared]) change(name, 1)
      all++
      let isReleased = false
      const release = () => {
        if (isReleased) return
        isReleased = true
        all--
        for (const name of [own, shared]) change(name, -1)
        void record([own, shared])
      }
      const opening = () => {
        const streams = [
          { ...count(own), max: perCaller },
          { ...count(shared), max: perWorkspace },
        ]
        return db ? recordOpened(db, { process, streams }) : Promise.resolve(null)
      }
      const exceeded = await within(inOrder(opening), MAX_WAIT_MS).catch(() => null)
      if (exceeded === null) return release
      release()
      throw refusal(tooMany[exceeded])
    },
    async close() {
      clearInterval(renewal)
      if (db) await forgetStreams(db, process).catch(() => {})
    },
  }
}

const RETRY_S = 10

function refusal(message = 'too many event streams are open'): AppError {
  return new AppError('rate_limited', message, {
    fix: 'Close streams that you no longer read, or poll GET /jobs/{id}',
    retryAfterSeconds: RETRY_S,
  })
}
