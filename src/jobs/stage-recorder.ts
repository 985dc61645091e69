import type { DocumentStage } from '../document-stage.ts'

type StageRecorder = {
  reach(recordIds: string[], stage: DocumentStage): void
  /** Runs while no stages are written; these documents need none any more. */
  finish<T>(recordIds: string[], write: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

const EVERY_MS = 1000

type StageOptions = {
  write: (stages: ReadonlyMap<string, DocumentStage>) => Promise<void>
  everyMs?: number
}

/** Collects where documents are and writes it once a second, because most stages take milliseconds. */
export function createStageRecorder({ write, everyMs = EVERY_MS }: StageOptions): StageRecorder {
  let reached = new Map<string, DocumentStage>()
  let timer: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const next = last.then(task)
    last = next.catch(() => {})
    return next
  }
  const flush = async () => {
    timer = undefined
    const stages = reached
    reached = new Map()
    // Stages are only shown, so a failure may not fail documents.
    if (stages.size > 0) await write(stages).catch(() => {})
  }

  return {
    reach(recordIds, stage) {
      for (const id of recordIds) reached.set(id, stage)
      timer ??= setTimeout(() => void inTurn(flush), everyMs)
    },
    finish(recordIds, finishDocuments) {
      for (const id of recordIds) reached.delete(id)
      return inTurn(finishDocuments)
    },
    async close() {
      clearTimeout(timer)
      await last
    },
  }
}
