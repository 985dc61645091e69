import { AppError } from '../../../errors.ts'
import * as wire from '../answers.ts'
import type { FileInfo, FilesClient, Place } from '../client.ts'
import { toIso } from '../times.ts'
import { PAGE, wholeLists } from '../transport/lists.ts'
import { isMissing, type Transport } from '../transport/transport.ts'

/**
 * Files, as the Cloud serves them: the addresses that stand in its own answers and pages (`/download/…`) refuse
 * every token, and only the download of v1 takes them. It answers with a redirect to another host, which gets no
 * credentials.
 */
export function cloudFiles(transport: Transport): FilesClient {
  const { ask } = transport
  const { all } = wholeLists(transport)

  const listed = (place: Place, filter: Record<string, string>, signal: AbortSignal) => {
    const path = `/api/v2/${place.type === 'blogpost' ? 'blogposts' : 'pages'}/${encodeURIComponent(place.id)}/attachments`
    const question = { doing: `listing the files of ${place.id}`, path, query: { limit: PAGE, ...filter } }
    return all(question, wire.attachmentAnswer, signal)
  }
  const download: FilesClient['download'] = ({ id, pageId }, reading, signal) => {
    const path = `/rest/api/content/${encodeURIComponent(pageId)}/child/attachment/${encodeURIComponent(id)}/download`
    return transport.download({ doing: `reading file ${id} of page ${pageId}`, path, ...reading }, signal)
  }

  return {
    files: async (place, signal) => (await listed(place, {}, signal)).flatMap((row) => toFile(row)),

    container: async (fileId, signal) => {
      const path = `/api/v2/attachments/${encodeURIComponent(fileId)}`
      const question = { doing: `looking up file ${fileId}`, path, answer: wire.attachmentAnswer }
      const row = await ask(question, signal).catch((error) => {
        if (isMissing(error)) return null
        throw error
      })
      if (!row || (row.status ?? 'current') !== 'current') return null
      if (row.pageId) return { id: row.pageId, type: 'page' }
      return row.blogPostId ? { id: row.blogPostId, type: 'blogpost' } : null
    },

    download,

    picture: async ({ pageId, name, fileId }, reading, signal) => {
      if (fileId) return download({ id: `att${fileId}`, pageId }, reading, signal)
      const rows = await listed({ id: pageId, type: 'page' }, { filename: name }, signal)
      const row = rows.find(({ title }) => title === name)
      if (!row) throw new AppError('source_not_found', `reading a picture: page ${pageId} has no such file`)
      return download({ id: row.id, pageId }, reading, signal)
    },
  }
}

function toFile(row: wire.AttachmentAnswer): FileInfo[] {
  if ((row.status ?? 'current') !== 'current') return []
  return [
    {
      id: row.id,
      title: row.title ?? row.id,
      version: String(row.version?.number ?? 0),
      mediaType: row.mediaType ?? null,
      bytes: row.fileSize ?? null,
      createdAt: toIso(row.createdAt),
      modifiedAt: toIso(row.version?.createdAt),
    },
  ]
}
