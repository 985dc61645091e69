import { createHash } from 'node:crypto'
import { type PipelineNode, settingsHash } from '../pipeline/nodes.ts'

/**
 * Changes when a document would have to be worked again although it has not changed: other nodes, another way of
 * rendering, another index, vectors from another address. A source that renders in its plainest way and an embedder
 * on this machine add nothing, so that what was written before there were others stands.
 */
export function runHash(nodes: PipelineNode[], identity: string, made: Made): string {
  const ways = [made.rendition, made.vectors ?? ''].filter((way) => way !== '')
  const parts = [settingsHash(nodes), identity, ...ways]
  return createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 32)
}

/** By what documents are made beside the nodes: how the source renders, and whose vectors they have. */
type Made = { rendition: string; vectors: string | undefined }
