import { AppError } from '../../../errors.ts'
import type { FilesClient } from '../client.ts'
import { toFile } from '../content/file-list.ts'
import { childFileResponse } from '../responses.ts'
import { listReaders } from '../transport/lists.ts'
import { urlOfLink } from '../transport/site.ts'
import { nullIfMissing, type WikiTransport } from '../transport/transport.ts'

/** Files are at the URLs in the wiki's responses. */
export function dataCenterFiles(transport: WikiTransport): FilesClient {
  const { send, site } = transport
  const { byOffset } = listReaders(transport)

  const lookUp = (id: string, signal: AbortSignal) => {
    const path = `/rest/api/content/${encodeURIComponent(id)}`
    const request = { doing: `looking up file ${id}`, path, query: { expand: 'container,version' } }
    return send({ ...request, response: childFileResponse }, signal)
  }

  return {
    files: async ({ id }, signal) => {
      const path = `/rest/api/content/${encodeURIComponent(id)}/child/attachment`
      const request = { doing: `listing the files of ${id}`, path, query: { expand: 'version,history' } }
      return (await byOffset(request, childFileResponse, signal)).flatMap((row) => toFile(row))
    },

    container: async (fileId, signal) => {
      const row = await lookUp(fileId, signal).catch(nullIfMissing)
      if (!row?.container || row.status === 'trashed') return null
      return { id: row.container.id, type: row.container.type ?? 'page' }
    },

    // There is no address by id; the link contains the encoded name.
    download: async ({ id, pageId, version, link }, options, signal) => {
      const row = link ? null : await lookUp(id, signal)
      if (row && (row.container?.id !== pageId || String(row.version?.number) !== version)) return null
      const address = link ?? row?._links?.download
      if (!address)
        throw new AppError('source_misread', `looking up file ${id}: the response has no address for it`)
      const url = urlOfLink(site, address, new URL(site.base))
      return transport.download({ doing: `reading file ${id} of page ${pageId}`, url, ...options }, signal)
    },
  }
}
