import { readFileSync } from 'node:fs'
import { processTree } from './process-tree.ts'

/** Megabytes of a process tree; `pss` counts shared pages once. */
export type TreeMemory = {
  node_rss: number
  node_pss: number
  postgres_rss: number
  postgres_pss: number
  all_rss: number
  all_pss: number
  node_processes: number
  postgres_processes: number
}

type Process = { pid: number; name: string; rss: number; pss: number }

/** Peaks of each figure by itself, until `stop`. */
export function watchMemory(pid: number, everyMs = 200): { stop(): TreeMemory } {
  const peak = memoryOf(pid)
  const measure = () => {
    const now = memoryOf(pid)
    for (const name of Object.keys(peak) as (keyof TreeMemory)[]) peak[name] = Math.max(peak[name], now[name])
  }
  const timer = setInterval(measure, everyMs)
  return {
    stop() {
      clearInterval(timer)
      measure()
      return peak
    },
  }
}

export function memoryOf(pid: number): TreeMemory {
  const all = processTree([pid]).flatMap((each) => readProcess(each.pid))
  const postgres = all.filter(({ name }) => name.startsWith('postgres'))
  const node = all.filter((each) => !postgres.includes(each))
  return {
    ...{ node_rss: sum(node, 'rss'), node_pss: sum(node, 'pss') },
    ...{ postgres_rss: sum(postgres, 'rss'), postgres_pss: sum(postgres, 'pss') },
    ...{ all_rss: sum(all, 'rss'), all_pss: sum(all, 'pss') },
    ...{ node_processes: node.length, postgres_processes: postgres.length },
  }
}

function readProcess(pid: number): Process[] {
  try {
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const megabytes = (field: string) =>
      Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1000
    return [{ pid, name, rss: megabytes('Rss'), pss: megabytes('Pss') }]
  } catch {
    return [] // it has ended
  }
}

function sum(processes: Process[], field: 'rss' | 'pss'): number {
  return Math.round(processes.reduce((total, each) => total + each[field], 0))
}
