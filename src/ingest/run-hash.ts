import { hashOfJson } from '../document-hashes.ts'
import { type PipelineNode, settingsHash } from '../pipeline/nodes.ts'

/** Changes with the nodes, the rendition, the index or the source of vectors: then all documents are processed again. */
export function runHash(nodes: PipelineNode[], identity: string, versions: RenderVersions): string {
  return hashOfJson([settingsHash(nodes), identity, versions.rendition, versions.vectors ?? null])
}

/** Besides the nodes, the rendition of the source and the source of vectors affect the elements. */
type RenderVersions = { rendition: string; vectors: string | undefined }
