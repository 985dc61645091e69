import { createHash } from 'node:crypto'
import { type PipelineNode, settingsHash } from '../pipeline/nodes.ts'

/**
 * Changes with the nodes, the rendition, the index or the source of vectors: then all documents are processed again.
 * Defaults add nothing, so that older hashes stay valid.
 */
export function runHash(nodes: PipelineNode[], identity: string, versions: RenderVersions): string {
  const nonDefault = [versions.rendition, versions.vectors ?? ''].filter((version) => version !== '')
  const parts = [settingsHash(nodes), identity, ...nonDefault]
  return createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 32)
}

/** Besides the nodes, the rendition of the source and the source of vectors affect the elements. */
type RenderVersions = { rendition: string; vectors: string | undefined }
