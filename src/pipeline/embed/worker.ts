import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../priority.ts'
import { loadInference } from './inference.ts'
import type { FromWorker, ToWorker } from './worker-pool.ts'

const port = parentPort!
// With the threads that the model starts, below the one that answers requests.
lowerPriority(3)
const infer = await loadInference(workerData)
let queue = Promise.resolve()

// One at a time, so that the pool knows which text crashed a thread.
port.on('message', (message: ToWorker) => {
  queue = queue.then(() => embed(message))
})
send({ kind: 'ready' })

async function embed({ id, text }: ToWorker): Promise<void> {
  try {
    const vector = await infer(text)
    send({ kind: 'vector', id, vector }, [vector.buffer])
  } catch (error) {
    send({ kind: 'failed', id, reason: error instanceof Error ? error.message : String(error) })
  }
}

function send(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer)
}
