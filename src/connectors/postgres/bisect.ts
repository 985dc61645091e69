import type { Rejection } from '../destination.ts'
import { RowRefused } from './translate.ts'

type Halving<T> = {
  work(part: T[]): Promise<Rejection[]>
  refused(item: T, why: string): Rejection[]
}

/** PostgreSQL does not name the row that it refuses, so halves are tried until one is left. */
export async function bisect<T>(items: T[], { work, refused }: Halving<T>): Promise<Rejection[]> {
  try {
    return await work(items)
  } catch (error) {
    if (!(error instanceof RowRefused)) throw error
    if (items.length === 1) return refused(items[0]!, error.reason)
    const half = Math.ceil(items.length / 2)
    const first = await bisect(items.slice(0, half), { work, refused })
    return [...first, ...(await bisect(items.slice(half), { work, refused }))]
  }
}
