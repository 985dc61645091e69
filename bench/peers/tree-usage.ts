import { processTree, TICK_MS } from '../process-tree.ts'

export type TreeUsage = { cpuSeconds: number; residentMb: number }

/** Processor time and memory of processes and all their descendants, ended ones included in the time. */
export function treeUsage(roots: number[]): TreeUsage {
  const tree = processTree(roots)
  return {
    cpuSeconds: (tree.reduce((sum, { ticks }) => sum + ticks, 0) * TICK_MS) / 1000,
    residentMb: tree.reduce((sum, each) => sum + each.residentMb, 0),
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
