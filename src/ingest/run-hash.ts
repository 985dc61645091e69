import { createHash } from 'node:crypto'
import { type PipelineNode, settingsHash } from '../pipeline/nodes.ts'

/**
 * Changes with the nodes, the rendition, the index or the source of vectors: then all documents are processed again.
 * Defaults add nothing, so that older hashes stay valid.
 */
export function runHash(nodes: PipelineNode[], identity: string, made: Made): string {
  const ways = [made.rendition, made.vectors ?? ''].filter((way) => way !== '')
  const parts = [settingsHash(nodes), identity, ...ways]
  return createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 32)
}

/** What shapes documents besides the nodes: rendition and vectors. */
type Made = { rendition: string; vectors: string | undefined }
