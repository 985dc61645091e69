import type { FileInfo } from '../client.ts'
import { isCompleteList } from '../is-complete-list.ts'
import type { ChildFileResponse, ChildrenResponse } from '../responses.ts'
import { toIso } from '../times.ts'

/** Fields to expand for the files of a page, on both deployments. */
export const FILE_FIELDS = ['version', 'history'].map((part) => `children.attachment.${part}`).join(',')

/** Null if the list is missing or incomplete. */
export function parseFiles(children: ChildrenResponse | null | undefined): FileInfo[] | null {
  const list = children?.attachment
  return list && isCompleteList(list) ? list.results.flatMap((row) => toFile(row)) : null
}

export function toFile(row: ChildFileResponse): FileInfo[] {
  const { id, status, title, version, history, extensions, metadata, _links } = row
  if (status === 'trashed') return []
  return [
    {
      id,
      title: title ?? id,
      version: String(version?.number ?? 0),
      mediaType: extensions?.mediaType ?? metadata?.mediaType ?? null,
      bytes: extensions?.fileSize ?? null,
      mediaId: extensions?.fileId ?? null,
      link: _links?.download ?? null,
      createdAt: toIso(history?.createdDate),
      modifiedAt: toIso(version?.when),
    },
  ]
}
