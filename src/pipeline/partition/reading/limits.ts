/** What one file may take. The time runs while it is read, not while it waits. */
export type ReadingLimits = {
  /** Processes at most: reading is work for a core, and each may take all of its memory. */
  readers: number
  heapMb: number
  /** Of the process as a whole: pictures and unpacked parts are no part of the heap. */
  memoryMb: number
  /** A process that still holds more than this after a file reads no other file. */
  keepMb: number
  /** Without a word of progress, such as a page that is done. */
  stalledMs: number
  wholeMs: number
  /** Files that one process reads before another takes its place: what a library forgot to free goes with it. */
  files: number
  /** Without work for this long a process ends. */
  idleMs: number
}

export const READING_LIMITS: ReadingLimits = {
  readers: 2,
  heapMb: 768,
  memoryMb: 1500,
  keepMb: 750,
  stalledMs: 60_000,
  wholeMs: 15 * 60_000,
  files: 200,
  idleMs: 60_000,
}
