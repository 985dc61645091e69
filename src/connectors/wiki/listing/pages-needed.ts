import type { WikiConfig } from '../config.ts'
import { hasLabelFilters } from './filters.ts'

/** How many pages of a space decide what is listed: one more than the limit shows that there are more. */
export function pagesNeeded(config: WikiConfig): number {
  // A filter decides which pages count for the limit.
  if (config.cql !== undefined || hasLabelFilters(config)) return Number.POSITIVE_INFINITY
  return config.max_num_of_docs_from_each_space + 1
}
