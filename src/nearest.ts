import { distance } from 'fastest-levenshtein'

/** The most similar known name, if not too different. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 100) return undefined
  let best: { candidate: string; edits: number } | undefined
  for (const candidate of known) {
    const edits = distance(name.toLowerCase(), candidate.toLowerCase())
    if (!best || edits < best.edits) best = { candidate, edits }
  }
  return best && best.edits <= Math.max(2, Math.floor(name.length / 3)) ? best.candidate : undefined
}
