import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second. */
export const TICK_MS = 10
const PAGE_BYTES = 4096

export type Process = {
  pid: number
  parent: number
  /** User and system time, its own and of ended children. */
  ticks: number
  residentMb: number
}

/** Processes and all their descendants, such as the embedded PostgreSQL. */
export function processTree(roots: number[]): Process[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(name) ?? []) : []))
  const byParent = Map.groupBy(all, ({ parent }) => parent)
  const found = all.filter(({ pid }) => roots.includes(pid))
  for (const { pid } of found) found.push(...(byParent.get(pid) ?? []))
  return [...new Set(found)]
}

/** Milliseconds of user and system time of a process and its descendants, ended ones included. */
export function processorMs(root: number): number {
  return processTree([root]).reduce((sum, { ticks }) => sum + ticks * TICK_MS, 0)
}

/** Seconds of one process, without descendants that still run. */
export function processorSeconds(pid: number): number {
  return ((readStat(String(pid))?.ticks ?? 0) * TICK_MS) / 1000
}

/** The parent of a process, such as the server of a database connection. */
export function parentOf(pid: number): number {
  return readStat(String(pid))?.parent ?? 0
}

/** Undefined if the process has ended meanwhile. */
function readStat(pid: string): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const at = (index: number) => Number(fields[index])
    const ticks = at(11) + at(12) + at(13) + at(14)
    return { pid: Number(pid), parent: at(1), ticks, residentMb: (at(21) * PAGE_BYTES) / 1e6 }
  } catch {
    return undefined
  }
}
