import { isArchive } from '../files/archives/archive-formats.ts'

/** Limits for one file. Time counts while it is read, not while it waits. */
export type ReadingLimits = {
  /** Processes for one workspace; each may use a core and all its memory. One more is for other workspaces. */
  readers: number
  heapMb: number
  /** Whole process: unpacked parts are outside the heap. */
  memoryMb: number
  /** While it draws or reads a picture: one of 100 million pixels takes 800 MB. */
  pictureMb: number
  /** A process that holds more memory after a file is replaced. */
  maxReuseMb: number
  /** The maximum time without progress, such as a finished page. */
  stalledMs: number
  /** The maximum time for one file. */
  totalMs: number
  /** Files per process before it is replaced, which frees leaked memory. */
  filesPerProcess: number
  /** An idle process ends after this. */
  idleMs: number
}

export const READING_LIMITS: ReadingLimits = {
  readers: 2,
  heapMb: 450,
  memoryMb: 600,
  pictureMb: 1000,
  maxReuseMb: 400,
  stalledMs: 60_000,
  totalMs: 15 * 60_000,
  filesPerProcess: 200,
  idleMs: 60_000,
}

/** The memory for one task. */
export function memoryMbOf(filetype: string, { memoryMb, pictureMb }: ReadingLimits): number {
  const hasPictures = filetype.startsWith('image/') || filetype === 'application/pdf' || isArchive(filetype)
  return hasPictures ? pictureMb : memoryMb
}

const TEXT_MS = 20_000
const TEXT_MS_PER_MB = 10_000

/** Text reports no progress. An idle core reads a megabyte in a second; text that takes far longer was made to. */
export function stalledMsOf(
  { filetype, bytes }: { filename?: string; filetype?: string; bytes?: Uint8Array },
  { stalledMs }: ReadingLimits,
): number {
  if (!bytes || !filetype?.startsWith('text/')) return stalledMs
  return Math.min(stalledMs, TEXT_MS + (bytes.length / 1_000_000) * TEXT_MS_PER_MB)
}
