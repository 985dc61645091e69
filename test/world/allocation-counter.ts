import { GCProfiler, getHeapStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'
import { until } from './flow.ts'
import type { Millrace } from './service.ts'

/** Loaded before the service: on SIGUSR2 it prints how many bytes its heap has allocated. */
export const WITH_ALLOCATION_COUNTER = { NODE_OPTIONS: `--import=${import.meta.url}` }

const PREFIX = 'allocated bytes: '

if (isMainThread && process.env.NODE_OPTIONS === WITH_ALLOCATION_COUNTER.NODE_OPTIONS) countAllocations()

/** What the heap grew between collections; buffers outside the heap are not in it. */
function countAllocations(): void {
  let profiler = new GCProfiler()
  profiler.start()
  let bytes = 0
  let used = getHeapStatistics().used_heap_size
  process.on('SIGUSR2', () => {
    for (const { beforeGC, afterGC } of profiler.stop()?.statistics ?? []) {
      bytes += beforeGC.heapStatistics.usedHeapSize - used
      used = afterGC.heapStatistics.usedHeapSize
    }
    const now = getHeapStatistics().used_heap_size
    bytes += now - used
    used = now
    profiler = new GCProfiler()
    profiler.start()
    console.log(`${PREFIX}${bytes}`)
  })
}

export async function allocatedBytes({ process: child, lines }: Millrace): Promise<number> {
  const answers = () => lines.filter((line) => line.startsWith(PREFIX))
  const before = answers().length
  child.kill('SIGUSR2')
  const all = await until(
    async () => answers(),
    ({ length }) => length > before,
  )
  return Number(all.at(-1)?.slice(PREFIX.length))
}
