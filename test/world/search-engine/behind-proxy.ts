import { type Cluster, ELASTICSEARCH } from './clusters.ts'
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from './fault-proxy.ts'
import { type FreshIndex, freshIndex } from './fresh-index.ts'

const { signal } = new AbortController()

/** An index with its schema. */
export async function preparedIndex(
  dims: number | null = null,
  cluster: Cluster = ELASTICSEARCH,
): Promise<FreshIndex> {
  const index = await freshIndex({ cluster })
  await index.destination.prepare({ dims }, signal)
  return index
}

/** The same, behind a proxy that can break requests. */
export async function behindProxy(
  options: { privileges?: string[]; kind?: 'index' | 'alias'; dims?: number; cluster?: Cluster } = {},
): Promise<{ index: FreshIndex; proxy: FaultProxy } & AsyncDisposable> {
  const { dims = null, cluster = ELASTICSEARCH, ...kind } = options
  const proxy = await startFaultProxy((await cluster.engine()).url)
  // An open proxy would keep the test process running.
  await using opened = new AsyncDisposableStack()
  opened.defer(() => proxy.close())
  const index = opened.use(await freshIndex({ url: proxy.url, cluster, ...kind }))
  await index.destination.prepare({ dims }, signal)
  const all = opened.move()
  return { index, proxy, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

export function bulkRequests(proxy: FaultProxy): ProxiedRequest[] {
  return proxy.seen.filter(({ path }) => path.includes('_bulk'))
}
