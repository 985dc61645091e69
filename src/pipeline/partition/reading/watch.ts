import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { removeFolder } from './confinement.ts'
import { type MemoryLimits, OVER_MEMORY } from './protocol.ts'

/** Ends the process if it exceeds its memory limit, heap and buffers together, or if its parent is gone. */
const { maxBytes, parent, folder } = workerData as MemoryLimits
const EVERY_MS = 100

setInterval(() => {
  const isOver = process.memoryUsage.rss() > maxBytes
  if (!isOver && process.ppid === parent) return
  if (isOver) writeSync(2, `${OVER_MEMORY}\n`)
  else removeFolder(folder)
  process.kill(process.pid, 'SIGKILL')
}, EVERY_MS)
