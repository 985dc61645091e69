/** There are about 30 paths without ids; the rest is reserve. */
const MAX_KINDS = 64
/** A new response counts one eighth, so that one slow response does not matter. */
const SMOOTHING = 1 / 8
/**
 * The best time rises only under low load, by 1/50 of its distance to the recent time per response. After 100 responses it
 * nearly fits a slower site.
 */
const RISE = 1 / 50

/** Detects overload: a busy site slows down before it refuses. */
export function createLatencies() {
  const kinds = new Map<string, { recent: number; best: number }>()
  let last: { recent: number; best: number } | undefined
  return {
    /** Records a duration and rates it; `alone` means that few requests ran at the same time. */
    rate: (kind: string, { ms, alone }: { ms: number; alone: boolean }): 'usual' | 'slow' | 'overloaded' => {
      // On a busy site a new kind is assumed to be slowed by the same factor as the previous kind.
      const load = alone || !last ? 1 : Math.max(1, last.recent / last.best)
      const known = kinds.get(kind) ?? { recent: ms, best: ms / load }
      last = known
      known.recent += (ms - known.recent) * SMOOTHING
      // Moves it to the end; the first key is the least recently used.
      kinds.delete(kind)
      kinds.set(kind, known)
      if (kinds.size > MAX_KINDS) kinds.delete(kinds.keys().next().value!)
      const { recent, best } = known
      if (recent < best) known.best = recent
      else if (alone) known.best += (recent - best) * RISE
      // The constants cover delays of a busy process or network.
      if (recent > 2 * known.best + 50) return 'overloaded'
      return recent > 1.5 * known.best + 25 ? 'slow' : 'usual'
    },
  }
}

/** Requests of similar cost: path without ids, plus the `parameters` that say how much is requested. */
export function kindOf(method: string, { pathname, searchParams }: URL, parameters: string[]): string {
  const path = pathname
    .split('/')
    .map((part) => (/^([a-z][a-zA-Z_-]*|v\d|\d\.\d)?$/.test(part) ? part : '*'))
    .join('/')
  return [method, path, ...parameters.map((name) => searchParams.get(name))].join(' ')
}
