import type { Nested } from './responses.ts'

/** Whether a nested list is complete, or continues in requests of its own. */
export function isCompleteList({ limit, size, _links, results }: Nested & { results: unknown[] }): boolean {
  if (_links?.next) return false
  if (typeof size === 'number' && size > results.length) return false
  // 25 is the smallest default limit of any endpoint.
  return results.length < (limit ?? 25)
}
