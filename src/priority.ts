import { getPriority, setPriority } from 'node:os'

/** Lowers the calling thread, or the main thread of a process; ten steps leave a tenth of the time on a busy machine. */
export function lowerPriority(steps: number, pid = 0): void {
  // Elsewhere it would apply to the whole process.
  if (pid === 0 && process.platform !== 'linux') return
  setPriority(pid, Math.min(19, getPriority(pid) + steps))
}
