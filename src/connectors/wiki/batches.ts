import { AppError } from '../../errors.ts'

/** Halves a batch that fails because of its content. Items that fail in batches of `minSize` are left out. */
export async function fetchInBatches<T, R>(
  items: readonly T[],
  request: { size: number; minSize: number; fetch(batch: T[]): Promise<R[]> },
): Promise<R[]> {
  const batches: T[][] = []
  for (let i = 0; i < items.length; i += request.size) batches.push(items.slice(i, i + request.size))
  return (await Promise.all(batches.map((batch) => fetchOrSplit(batch, request)))).flat()
}

async function fetchOrSplit<T, R>(
  batch: T[],
  request: { minSize: number; fetch(batch: T[]): Promise<R[]> },
): Promise<R[]> {
  try {
    return await request.fetch(batch)
  } catch (error) {
    if (!(error instanceof AppError) || error.endsJob) throw error
    if (batch.length <= request.minSize) return []
    const middle = Math.ceil(batch.length / 2)
    const halves = [batch.slice(0, middle), batch.slice(middle)]
    // One half after the other, because the whole batch was too much.
    const results: R[] = []
    for (const half of halves) results.push(...(await fetchOrSplit(half, request)))
    return results
  }
}
