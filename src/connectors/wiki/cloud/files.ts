import type { NodeRef } from '../access/tree.ts'
import type { FileInfo, FilesClient } from '../client.ts'
import * as wire from '../responses.ts'
import { toIso } from '../times.ts'
import { listReaders, PAGE_SIZE } from '../transport/lists.ts'
import { isNotFound, nullIfMissing, statusOfError, type WikiTransport } from '../transport/transport.ts'

/** Files of archived pages are archived; the download finds only current ones by default. */
const READABLE_STATUS = ['current', 'archived']

/**
 * The `/download/…` links refuse tokens; only the v1 download accepts them. It redirects to a host that gets
 * no credentials.
 */
export function cloudFiles(transport: WikiTransport): FilesClient {
  const { send } = transport
  const { all } = listReaders(transport)

  const listFiles = (node: NodeRef, signal: AbortSignal) => {
    const path = `/api/v2/${node.type === 'blogpost' ? 'blogposts' : 'pages'}/${encodeURIComponent(node.id)}/attachments`
    const request = { doing: `listing the files of ${node.id}`, path, query: { limit: PAGE_SIZE } }
    return all(request, wire.attachmentResponse, signal)
  }
  /** The page and version of a file; null if it is gone. */
  const lookUp = async (fileId: string, signal: AbortSignal) => {
    const path = `/api/v2/attachments/${encodeURIComponent(fileId)}`
    const request = { doing: `looking up file ${fileId}`, path, response: wire.attachmentResponse }
    const row = await send(request, signal).catch(nullIfMissing)
    if (!row || row.status === 'trashed') return null
    return { node: nodeOf(row), version: String(row.version?.number ?? 0) }
  }

  return {
    files: async (node, signal) => (await listFiles(node, signal)).flatMap((row) => toFile(row)),

    container: async (fileId, signal) => (await lookUp(fileId, signal))?.node ?? null,

    download: async ({ id, pageId, version }, options, signal) => {
      const path = `/rest/api/content/${encodeURIComponent(pageId)}/child/attachment/${encodeURIComponent(id)}/download`
      const query = { version, status: READABLE_STATUS }
      const what = { doing: `reading file ${id} of page ${pageId}`, path, query, ...options }
      try {
        return await transport.download(what, signal)
      } catch (error) {
        // A version above the latest is a 400: the file was replaced.
        if (!isNotFound(error) && statusOfError(error) !== 400) throw error
        const current = await lookUp(id, signal)
        const isUnchanged = current?.node?.id === pageId && current.version === version
        if (!current?.node || isUnchanged) throw error
        return null
      }
    },
  }
}

function nodeOf({ pageId, blogPostId }: wire.AttachmentResponse): NodeRef | null {
  if (pageId) return { id: pageId, type: 'page' }
  return blogPostId ? { id: blogPostId, type: 'blogpost' } : null
}

function toFile(row: wire.AttachmentResponse): FileInfo[] {
  // Files of an archived page are archived too.
  if (row.status === 'trashed') return []
  return [
    {
      id: row.id,
      title: row.title ?? row.id,
      version: String(row.version?.number ?? 0),
      mediaType: row.mediaType ?? null,
      bytes: row.fileSize ?? null,
      mediaId: row.fileId ?? null,
      link: null,
      createdAt: toIso(row.createdAt),
      modifiedAt: toIso(row.version?.createdAt),
    },
  ]
}
