import type { NodeRef } from '../access/tree.ts'
import * as wire from '../answers.ts'
import type { FileInfo, FilesClient } from '../client.ts'
import { toIso } from '../times.ts'
import { PAGE, wholeLists } from '../transport/lists.ts'
import { isNotFound, type WikiTransport } from '../transport/transport.ts'

/**
 * Files, as the Cloud serves them: the addresses that stand in its own answers and pages (`/download/…`) refuse
 * every token, and only the download of v1 takes them. It answers with a redirect to another host, which gets no
 * credentials.
 */
export function cloudFiles(transport: WikiTransport): FilesClient {
  const { ask } = transport
  const { all } = wholeLists(transport)

  const listed = (place: NodeRef, signal: AbortSignal) => {
    const path = `/api/v2/${place.type === 'blogpost' ? 'blogposts' : 'pages'}/${encodeURIComponent(place.id)}/attachments`
    const question = { doing: `listing the files of ${place.id}`, path, query: { limit: PAGE } }
    return all(question, wire.attachmentAnswer, signal)
  }
  /** Where a file is and in which version; null where it is gone. */
  const lookUp = async (fileId: string, signal: AbortSignal) => {
    const path = `/api/v2/attachments/${encodeURIComponent(fileId)}`
    const question = { doing: `looking up file ${fileId}`, path, answer: wire.attachmentAnswer }
    const row = await ask(question, signal).catch(nullIfMissing)
    if (!row || row.status === 'trashed') return null
    return { place: placeOf(row), version: String(row.version?.number ?? 0) }
  }

  return {
    files: async (place, signal) => (await listed(place, signal)).flatMap((row) => toFile(row)),

    container: async (fileId, signal) => (await lookUp(fileId, signal))?.place ?? null,

    download: async ({ id, pageId, version }, reading, signal) => {
      const path = `/rest/api/content/${encodeURIComponent(pageId)}/child/attachment/${encodeURIComponent(id)}/download`
      const what = { doing: `reading file ${id} of page ${pageId}`, path, query: { version }, ...reading }
      try {
        return await transport.download(what, signal)
      } catch (error) {
        if (!isNotFound(error)) throw error
        const now = await lookUp(id, signal)
        const isAsWanted = now?.place?.id === pageId && now.version === version
        if (!now?.place || isAsWanted) throw error
        return null
      }
    },
  }
}

function placeOf({ pageId, blogPostId }: wire.AttachmentAnswer): NodeRef | null {
  if (pageId) return { id: pageId, type: 'page' }
  return blogPostId ? { id: blogPostId, type: 'blogpost' } : null
}

function nullIfMissing(error: unknown): null {
  if (isNotFound(error)) return null
  throw error
}

function toFile(row: wire.AttachmentAnswer): FileInfo[] {
  // Those of an archived page are archived themselves.
  if (row.status === 'trashed') return []
  return [
    {
      id: row.id,
      title: row.title ?? row.id,
      version: String(row.version?.number ?? 0),
      mediaType: row.mediaType ?? null,
      bytes: row.fileSize ?? null,
      link: null,
      createdAt: toIso(row.createdAt),
      modifiedAt: toIso(row.version?.createdAt),
    },
  ]
}
