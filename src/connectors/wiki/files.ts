import type { ChildFileAnswer, ChildrenAnswer } from './answers.ts'
import type { FileInfo } from './client.ts'
import { toIso } from './times.ts'

/** What is asked for with a page to learn of its files; both deployments know it. */
export const FILES = ['version', 'history'].map((part) => `children.attachment.${part}`).join(',')

/** Null where the answer does not say, or stops before the last one. */
export function filesTold(children: ChildrenAnswer | null | undefined): FileInfo[] | null {
  const list = children?.attachment
  if (!list || list._links?.next || (list.size ?? 0) > list.results.length) return null
  // Lists that do not say how long they may be are taken to end at 25, the smallest default there is.
  if (list.results.length >= (list.limit ?? 25)) return null
  return list.results.flatMap((row) => toFile(row))
}

export function toFile(row: ChildFileAnswer): FileInfo[] {
  const { id, status, title, version, history, extensions, metadata } = row
  if ((status ?? 'current') !== 'current') return []
  return [
    {
      id,
      title: title ?? id,
      version: String(version?.number ?? 0),
      mediaType: extensions?.mediaType ?? metadata?.mediaType ?? null,
      bytes: extensions?.fileSize ?? null,
      createdAt: toIso(history?.createdDate),
      modifiedAt: toIso(version?.when),
    },
  ]
}
