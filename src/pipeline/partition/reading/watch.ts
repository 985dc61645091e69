import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../../priority.ts'
import { removeFolder } from './confinement.ts'
import { LONG_MS, OVER_MEMORY, type WatchedTask, type WatchOptions } from './protocol.ts'

/** Ends the process if it exceeds its memory limit, heap and buffers together, or if its parent is gone. */
const { parent, folder } = workerData as WatchOptions
const EVERY_MS = 100
let task: WatchedTask = null

setInterval(() => {
  const isOverLimit = process.memoryUsage.rss() > (task?.maxBytes ?? Number.POSITIVE_INFINITY)
  if (!isOverLimit && process.ppid === parent) return
  if (isOverLimit) writeSync(2, `${OVER_MEMORY}\n`)
  else removeFolder(folder)
  process.kill(process.pid, 'SIGKILL')
}, EVERY_MS)

let long: NodeJS.Timeout | undefined
parentPort?.on('message', (now: WatchedTask) => {
  task = now
  clearTimeout(long)
  // The main thread, which has the id of the process.
  if (task) long = setTimeout(() => lowerPriority(7, process.pid), LONG_MS)
})
