import { createHash } from 'node:crypto'
import type { CommentInfo, FileInfo, Space, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { isShown } from '../content/comments.ts'
import { byId } from '../ids.ts'
import { CommentVersions } from './comment-versions.ts'

export type Fingerprints = (pageId: string, files: FileInfo[]) => string

/**
 * A page's version ignores comments and image files, so their fingerprints are appended:
 * `4+c9f3a2c81+p02d7ae91`. Reads the comments of the space, or of the pages with these `ids`.
 */
export async function createFingerprints(
  { client, config }: { client: WikiClient; config: WikiConfig },
  { space, ids }: { space: Space; ids?: string[] },
  signal: AbortSignal,
): Promise<Fingerprints> {
  const comments = new CommentVersions()
  if (config.include_comments && !ids)
    for await (const page of client.commentsIn(space, signal)) comments.add(page.filter(isShown))
  if (config.include_comments && ids && ids.length > 0)
    comments.add((await client.commentInfosOf(ids, signal)).filter(isShown))
  comments.sort()
  return (pageId, files) =>
    fingerprintOf('c', comments.of(pageId)) + (config.extract_images ? imageFingerprint(files) : '')
}

export function commentFingerprint(comments: CommentInfo[]): string {
  return fingerprintOf('c', comments.filter(isShown))
}

export function imageFingerprint(files: FileInfo[]): string {
  return fingerprintOf(
    'p',
    files.filter(({ mediaType }) => /^image\/|octet-stream$/.test(mediaType ?? 'image/')),
  )
}

/** Splits a version into the page's own version and the fingerprints. */
export function splitVersion(version: string): { page: string; comments: string; images: string } {
  const [page = '', ...fingerprints] = version.split('+')
  const of = (kind: string) =>
    fingerprints
      .filter((each) => each.startsWith(kind))
      .map((each) => `+${each}`)
      .join('')
  return { page, comments: of('c'), images: of('p') }
}

function fingerprintOf(kind: 'c' | 'p', parts: { id: string; version: string }[]): string {
  if (parts.length === 0) return ''
  const versions = parts.toSorted(byId).map(({ id, version }) => `${id}:${version}`)
  return `+${kind}${createHash('sha256').update(versions.join(' ')).digest('hex').slice(0, 8)}`
}
