import { AppError } from '../../errors.ts'

/**
 * Asks for many things at once. Where an answer fails for reasons of its content (too long, broken, one item
 * that the wiki stumbles over) the batch is halved, so that one bad item costs its mates nothing but a few
 * requests. Below `smallest` what still fails is left out, and is the caller's to ask for in another way.
 */
export async function inBatches<T, R>(
  items: readonly T[],
  ask: { size: number; smallest: number; fetch(batch: T[]): Promise<R[]> },
): Promise<R[]> {
  const batches: T[][] = []
  for (let i = 0; i < items.length; i += ask.size) batches.push(items.slice(i, i + ask.size))
  return (await Promise.all(batches.map((batch) => halving(batch, ask)))).flat()
}

async function halving<T, R>(
  batch: T[],
  ask: { smallest: number; fetch(batch: T[]): Promise<R[]> },
): Promise<R[]> {
  try {
    return await ask.fetch(batch)
  } catch (error) {
    if (!(error instanceof AppError) || error.endsJob) throw error
    if (batch.length <= ask.smallest) return []
    const middle = Math.ceil(batch.length / 2)
    const halves = [batch.slice(0, middle), batch.slice(middle)]
    // One after the other: what was too much at once is not asked for twice at the same time.
    const results: R[] = []
    for (const half of halves) results.push(...(await halving(half, ask)))
    return results
  }
}
