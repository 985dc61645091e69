import { createHash } from 'node:crypto'
import { inspectOf } from '../../connectors/capabilities.ts'
import type { Destination } from '../../connectors/destination.ts'

/** A document of the index with all its element ids. */
export type SampledDocument = { recordId: string; elementIds: string[] }
/** `foreign` counts elements that Millrace did not write. */
type SampleResult = { documents: SampledDocument[]; foreign: number }

/** Without `scopeKeys` all scopes are sampled. */
type SampleOptions = {
  maxDocuments: number
  seed: number
  scopeKeys: string[]
  isOurs(recordId: string): boolean
}

/** Reads all ids and keeps the documents with the smallest hashes: an even sample, chosen by the seed. */
export async function sampleDocuments(
  destination: Destination,
  { maxDocuments, seed, scopeKeys, isOurs }: SampleOptions,
  signal: AbortSignal,
): Promise<SampleResult> {
  const kept = new Map<string, { rank: string; elementIds: string[] }>()
  let limit: string | null = null
  let foreign = 0
  for await (const listed of inspectOf(destination).inventory(signal)) {
    for (const { recordId, elementId, scopeKey } of listed) {
      if (recordId === '') foreign++
      if (!isOurs(recordId) || (scopeKeys.length > 0 && !scopeKeys.includes(scopeKey))) continue
      const known = kept.get(recordId)
      if (known) known.elementIds.push(elementId)
      else {
        const rank = rankOf(seed, recordId)
        if (limit !== null && rank > limit) continue
        kept.set(recordId, { rank, elementIds: [elementId] })
        if (kept.size > maxDocuments) limit = dropHighest(kept)
      }
    }
  }
  const documents = [...kept]
    .sort(([, a], [, b]) => (a.rank < b.rank ? -1 : 1))
    .map(([recordId, { elementIds }]) => ({ recordId, elementIds }))
  return { documents, foreign }
}

export function rankOf(seed: number, text: string): string {
  return createHash('sha256').update(`${seed}\n${text}`).digest('hex')
}

/** Removes the highest rank and returns it; documents above it no longer enter the sample. */
function dropHighest(kept: Map<string, { rank: string }>): string {
  let last = ''
  let recordId = ''
  for (const [id, { rank }] of kept) if (rank > last) [last, recordId] = [rank, id]
  kept.delete(recordId)
  return last
}
