import { createHash } from 'node:crypto'
import type { FileInfo, Space, WikiClient } from './client.ts'
import { isShown } from './comments.ts'
import type { WikiConfig } from './config.ts'
import { byId } from './ids.ts'

/**
 * A page's version says nothing of its comments or of new versions of its pictures. Where those are read as part of
 * the page, a stamp of them is part of its version: `4+9f3a2c81`.
 */
export async function stamper(
  { client, config }: { client: WikiClient; config: WikiConfig },
  space: Space,
  signal: AbortSignal,
): Promise<(pageId: string, files: FileInfo[]) => string> {
  const comments = config.include_comments ? await client.commentsIn(space, signal) : []
  const byPage = Map.groupBy(comments.filter(isShown).sort(byId), ({ pageId }) => pageId)
  return (pageId, files) => {
    const pictures = config.extract_images ? files.filter(isPicture) : []
    const parts = [...(byPage.get(pageId) ?? []), ...pictures].map(({ id, version }) => `${id}:${version}`)
    return parts.length === 0 ? '' : `+${hash(parts)}`
  }
}

/** The version of the page alone. */
export function withoutStamp(version: string): string {
  return version.split('+', 1)[0] ?? version
}

function isPicture({ mediaType }: FileInfo): boolean {
  return mediaType?.startsWith('image/') ?? true
}

function hash(parts: string[]): string {
  return createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 8)
}
