import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10

/** Milliseconds of user and system time of a process and its descendants, ended ones included. */
export function processorMs(root: number): number {
  const processes = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(name) ?? []) : []))
  const byParent = Map.groupBy(processes, ({ parent }) => parent)
  const sum = ({ pid, ticks }: Stat): number =>
    (byParent.get(pid) ?? []).reduce((total, child) => total + sum(child), ticks)
  const found = processes.find(({ pid }) => pid === root)
  return found ? sum(found) * TICK_MS : 0
}

/** The parent of a process, such as the server of a database connection. */
export function parentOf(pid: number): number {
  return statOf(String(pid))?.parent ?? 0
}

type Stat = { pid: number; parent: number; ticks: number }

/** Undefined if the process has ended meanwhile. */
function statOf(name: string): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    // The name of the program may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number)
    const ticks = user! + system! + childUser! + childSystem!
    return { pid: Number(name), parent: Number(fields[1]), ticks }
  } catch {
    return undefined
  }
}
