/** Less memory of Node, for more frequent garbage collection, on one core instead of several. */
export const LESS_MEMORY = [
  '--no-parallel-scavenge',
  '--max-semi-space-size=4',
  '--heap-growing-percent=40',
  '--no-separate-gc-phases',
]

/** Less memory of glibc. */
export const LESS_ARENAS = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }
