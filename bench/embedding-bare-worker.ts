import { parentPort, workerData } from 'node:worker_threads'
import { loadSession, runSession } from '../src/pipeline/embed/inference.ts'
import { defaultModelName, findModel } from '../src/pipeline/embed/model.ts'

export type BareOrder = { durationMs: number }
export type BareResult = { count: number; elapsedMs: number }

const tokens = workerData as number[][]
const session = await loadSession(findModel(defaultModelName))

parentPort!.on('message', async ({ durationMs }: BareOrder) => {
  const start = performance.now()
  let count = 0
  while (performance.now() - start < durationMs) {
    await runSession(session, tokens[count++ % tokens.length]!)
  }
  parentPort!.postMessage({ count, elapsedMs: performance.now() - start } satisfies BareResult)
})
