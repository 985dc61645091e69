import { readdirSync, readFileSync } from 'node:fs'

type Process = { pid: number; parent: number; ticks: number; residentPages: number }
export type TreeUsage = { cpuSeconds: number; residentMb: number }

const TICKS_PER_SECOND = 100
const PAGE_BYTES = 4096

/** Processor time and memory of processes and all their descendants, ended ones included in the time. */
export function treeUsage(roots: number[]): TreeUsage {
  const all = processes()
  const inTree = new Set(roots)
  // Parents may come after their children in /proc.
  for (let before = -1; before !== inTree.size; ) {
    before = inTree.size
    for (const { pid, parent } of all) if (inTree.has(parent)) inTree.add(pid)
  }
  const tree = all.filter(({ pid }) => inTree.has(pid))
  return {
    cpuSeconds: tree.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
    residentMb: (tree.reduce((sum, each) => sum + each.residentPages, 0) * PAGE_BYTES) / 1e6,
  }
}

function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => parseStat(name) ?? [])
}

function parseStat(pid: string): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command in parentheses may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const at = (index: number) => Number(fields[index])
    // User and system time, own and of children that were waited for.
    const ticks = at(11) + at(12) + at(13) + at(14)
    return { pid: Number(pid), parent: at(1), ticks, residentPages: at(21) }
  } catch {
    return undefined
  }
}

/** The highest memory of a tree, sampled. */
export function watchMemory(roots: number[]): { stop: () => number } {
  let peak = 0
  const sample = () => {
    peak = Math.max(peak, treeUsage(roots).residentMb)
  }
  sample()
  const timer = setInterval(sample, 200)
  return {
    stop() {
      clearInterval(timer)
      sample()
      return peak
    },
  }
}
