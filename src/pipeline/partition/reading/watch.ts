import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../../priority.ts'
import { removeFolder } from './confinement.ts'
import { LONG_MS, OVER_MEMORY, type WatchOptions } from './protocol.ts'

/** Ends the process if it exceeds its memory limit, heap and buffers together, or if its parent is gone. */
const { maxBytes, parent, folder } = workerData as WatchOptions
const EVERY_MS = 100

setInterval(() => {
  const isOverLimit = process.memoryUsage.rss() > maxBytes
  if (!isOverLimit && process.ppid === parent) return
  if (isOverLimit) writeSync(2, `${OVER_MEMORY}\n`)
  else removeFolder(folder)
  process.kill(process.pid, 'SIGKILL')
}, EVERY_MS)

let long: NodeJS.Timeout | undefined
parentPort?.on('message', (state: 'busy' | 'free') => {
  clearTimeout(long)
  // The main thread, which has the id of the process.
  if (state === 'busy') long = setTimeout(() => lowerPriority(7, process.pid), LONG_MS)
})
