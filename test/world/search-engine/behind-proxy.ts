import { type FaultProxy, type Passing, startFaultProxy } from './fault-proxy.ts'
import { type FreshIndex, freshIndex } from './fresh-index.ts'
import { searchEngine } from './shared.ts'

const signal = AbortSignal.timeout(120_000)

/** An index that has its schema. */
export async function prepared(dims: number | null = null): Promise<FreshIndex> {
  const index = await freshIndex()
  await index.destination.prepare({ dims }, signal)
  return index
}

/** The same, with something between the destination and the engine that can break what passes. */
export async function behindProxy(
  options: { privileges?: string[]; kind?: 'index' | 'alias'; dims?: number } = {},
): Promise<{ index: FreshIndex; proxy: FaultProxy } & AsyncDisposable> {
  const { dims = null, ...kind } = options
  const proxy = await startFaultProxy((await searchEngine()).url)
  const index = await freshIndex({ url: proxy.url, ...kind })
  await index.destination.prepare({ dims }, signal)
  return {
    index,
    proxy,
    [Symbol.asyncDispose]: async () => {
      await index[Symbol.asyncDispose]()
      await proxy.close()
    },
  }
}

export function bulks(proxy: FaultProxy): Passing[] {
  return proxy.seen.filter(({ path }) => path.includes('_bulk'))
}
