import type { Nested } from '../answers.ts'

/** Whether a list inside another answer is all there is; its rest would be behind requests of its own. */
export function isCompleteList({ limit, size, _links, results }: Nested & { results: unknown[] }): boolean {
  if (_links?.next) return false
  if (typeof size === 'number' && size > results.length) return false
  // Lists that do not say how long they may be are asked for again from 25 on, the smallest default there is.
  return results.length < (limit ?? 25)
}
