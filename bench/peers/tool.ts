import type { SearchEngine } from '../../test/world/search-engine/attach.ts'
import type { Wiki } from '../../test/world/wiki/start.ts'
import { treeUsage, watchMemory } from './tree-usage.ts'

/** A program that copies the wiki into the index. */
export type Tool = { name: string; run(job: ToolJob): Promise<ToolUsage> }
export type ToolJob = { wiki: Wiki; engine: SearchEngine; index: string }
export type ToolUsage = { seconds: number; cpuSeconds: number; peakMb: number }

/** Measures the work; the processes have started and stay until it ends. */
export async function measured(roots: number[], work: () => Promise<void>): Promise<ToolUsage> {
  const before = treeUsage(roots).cpuSeconds
  const memory = watchMemory(roots)
  const began = performance.now()
  try {
    await work()
    const seconds = (performance.now() - began) / 1000
    return { seconds, cpuSeconds: treeUsage(roots).cpuSeconds - before, peakMb: memory.stop() }
  } finally {
    memory.stop()
  }
}
