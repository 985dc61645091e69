/** How many of something may happen in a time; the time begins with the first. */
export type CountLimit = { max: number; windowMs: number }

/** `taken` is what all have, `granted` what this call got. */
export type Taken = { granted: number; taken: number; leftMs: number }

export interface LimitCounts {
  /** Takes up to `wanted`; nothing once `max` is reached. */
  take(name: string, wanted: number, limit: CountLimit): Promise<Taken>
  /** Returns one that did not count. */
  undo(name: string): Promise<void>
  reset(name: string): Promise<void>
}

/** What of `wanted` is within the limit. */
export function grantedOf(wanted: number, taken: number, max: number): number {
  return Math.max(0, wanted - Math.max(0, taken - max))
}
