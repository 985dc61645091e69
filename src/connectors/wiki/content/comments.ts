import type { Comment, CommentInfo } from '../client.ts'
import { compareIds } from '../ids.ts'
import type { CommentResponse } from '../responses.ts'
import { toIso } from '../times.ts'
import { escapeText } from './storage/entities.ts'
import type { Rendition } from './storage/rendition.ts'

/** Fields to expand for comments. */
export const COMMENT_INFO = 'container,version,extensions.resolution'
export const COMMENT_BODY = `${COMMENT_INFO},extensions.inlineProperties,ancestors,history,body.storage`

export function toCommentInfo({
  id,
  status,
  container,
  version,
  extensions,
}: CommentResponse): CommentInfo[] {
  if (!container || (status ?? 'current') !== 'current') return []
  const resolution = extensions?.resolution?.status ?? null
  return [{ id, pageId: container.id, version: String(version?.number ?? 0), resolution }]
}

export function toComment(row: CommentResponse): Comment[] {
  return toCommentInfo(row).map((info) => ({
    ...info,
    parentId: row.ancestors?.at(-1)?.id ?? null,
    author: row.history?.createdBy?.displayName ?? null,
    createdAt: toIso(row.history?.createdDate),
    selection: row.extensions?.inlineProperties?.originalSelection ?? null,
    storage: row.body?.storage?.value ?? '',
  }))
}

/** The wiki hides resolved comments and those whose text is gone. */
export function isShown({ resolution }: CommentInfo): boolean {
  return resolution !== 'resolved' && resolution !== 'dangling'
}

/** Appends the comments to the page, thread by thread, replies after their parents. */
export function withComments(
  page: Rendition,
  comments: Comment[],
  render: (storage: string) => Rendition,
): Rendition {
  const parts: Rendition['parts'] = []
  const dropped = new Set(page.dropped)
  for (const comment of shownComments(comments)) {
    const rendered = render(comment.storage)
    parts.push(`\n<div>${headingOf(comment)}`)
    for (const part of rendered.parts) parts.push(part)
    parts.push('</div>')
    for (const name of rendered.dropped) dropped.add(name)
  }
  return parts.length === 0 ? page : { parts: [...page.parts, '\n<h2>Comments</h2>', ...parts], dropped }
}

/** In reading order. */
export function shownComments(comments: Comment[]): Comment[] {
  const hidden = new Set(comments.filter((comment) => !isShown(comment)).map(({ id }) => id))
  const threads = Map.groupBy(comments, ({ parentId }) => parentId)
  const ids = new Set(comments.map(({ id }) => id))
  const roots = comments.filter(({ parentId }) => parentId === null || !ids.has(parentId))
  const shown: Comment[] = []
  const stack = sortById(roots).reverse()
  for (let comment = stack.pop(); comment; comment = stack.pop()) {
    // A reply to a hidden comment is hidden too.
    if (hidden.has(comment.id)) continue
    shown.push(comment)
    stack.push(...sortById(threads.get(comment.id) ?? []).reverse())
  }
  return shown
}

function sortById(comments: Comment[]): Comment[] {
  return comments.toSorted((a, b) => compareIds(a.id, b.id))
}

function headingOf({ author, selection }: Comment): string {
  const heading = [author, selection ? `on “${selection}”` : null].filter((part) => part !== null).join(' ')
  return heading ? `<p>${escapeText(heading)}:</p>` : ''
}
