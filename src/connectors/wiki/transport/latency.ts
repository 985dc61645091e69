/**
 * Whether the wiki answers as fast as it can. A site that is asked too much at once answers later before it refuses;
 * what it takes for one kind of question says nothing about another, so that each is compared with itself.
 */
export type Latencies = {
  /** Notes how long an answer took, and judges; `alone` where too little was asked at once to be the reason. */
  judge(kind: string, took: { ms: number; alone: boolean }): 'usual' | 'slower' | 'slow'
}

/** Paths without their ids are some thirty; the rest is for names that look like words. */
const MOST_KINDS = 64
/** A new answer counts for an eighth: one that was slow by chance does not make a site slow. */
const SHARE = 1 / 8
/**
 * The best falls at once. It rises only by answers that are slow though little was asked: whatever we caused ourselves
 * would else become the usual. A 50th of the difference each time; a site that became slower is learnt in a hundred.
 */
const RISE = 1 / 50

export function createLatencies(): Latencies {
  const kinds = new Map<string, { recent: number; best: number }>()
  let last: { recent: number; best: number } | undefined
  return {
    judge: (kind, { ms, alone }) => {
      // What is asked for the first time while the site is busy is as much slower as what was asked before it.
      const load = alone || !last ? 1 : Math.max(1, last.recent / last.best)
      const known = kinds.get(kind) ?? { recent: ms, best: ms / load }
      last = known
      known.recent += (ms - known.recent) * SHARE
      // Put back at the end: the first one is the one that was asked for longest ago.
      kinds.delete(kind)
      kinds.set(kind, known)
      if (kinds.size > MOST_KINDS) kinds.delete(kinds.keys().next().value!)
      const { recent, best } = known
      if (recent < best) known.best = recent
      else if (alone) known.best += (recent - best) * RISE
      // The milliseconds on top are what a busy process or network adds, which is much where the best is next to none.
      if (recent > 2 * known.best + 50) return 'slow'
      return recent > 1.5 * known.best + 25 ? 'slower' : 'usual'
    },
  }
}

/** What a question has in common with others that take as long: its path without ids, and how much it asks for. */
export function kindOf(method: string, { pathname, searchParams }: URL): string {
  const path = pathname
    .split('/')
    .map((part) => (/^([a-z][a-zA-Z_-]*|v\d|\d\.\d)?$/.test(part) ? part : '*'))
    .join('/')
  return [method, path, ...['expand', 'body-format', 'limit'].map((name) => searchParams.get(name))].join(' ')
}
