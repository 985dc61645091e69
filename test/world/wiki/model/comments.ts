import { type Body, type Comment, type ContentNode, newId, type Resolution, type World } from './model.ts'

/** Creates and changes comments, without a new version of the page. */
export interface NewComment {
  body: Body
  location?: 'footer' | 'inline'
  parentId?: string
  selection?: string
  authorId: string
  createdAt?: string
}

export function addComment(world: World, page: ContentNode, input: NewComment): Comment {
  const parent = input.parentId === undefined ? undefined : world.comments.get(input.parentId)
  if (input.parentId !== undefined && parent?.pageId !== page.id)
    throw new Error(`there is no comment ${input.parentId} on ${page.id}`)
  const id = newId(world)
  const createdAt = input.createdAt ?? new Date().toISOString()
  const location = parent?.location ?? input.location ?? 'footer'
  const comment: Comment = {
    kind: 'comment',
    id,
    pageId: page.id,
    status: 'current',
    title: `Re: ${page.title}`,
    parentId: parent?.id ?? null,
    location,
    resolution: 'open',
    resolvedBy: null,
    selection: parent?.selection ?? input.selection ?? '',
    markerRef: parent?.markerRef ?? `00000000-0000-4000-9000-${id.padStart(12, '0')}`,
    body: input.body,
    createdAt,
    authorId: input.authorId,
    version: { number: 1, when: createdAt, by: input.authorId, message: '', minorEdit: false },
    changed: ++world.changes,
  }
  world.comments.set(id, comment)
  const list = world.commentsOf.get(page.id)
  if (list === undefined) world.commentsOf.set(page.id, [comment])
  else list.push(comment)
  if (location === 'inline' && parent === undefined) page.body = addMarker(page.body, comment)
  return comment
}

export function editComment(world: World, comment: Comment, body: Body): void {
  comment.body = body
  comment.version = { ...comment.version, number: comment.version.number + 1, when: new Date().toISOString() }
  comment.changed = ++world.changes
}

/** Resolves a whole thread; only inline threads. */
export function resolveComment(world: World, comment: Comment, resolution: Resolution, by: string): void {
  if (comment.location !== 'inline') throw new Error(`${comment.id} is not an inline comment`)
  const root = rootOf(world, comment)
  for (const each of [root, ...repliesUnder(world, root)]) {
    each.resolution = resolution
    each.resolvedBy = resolution === 'resolved' ? by : null
    each.changed = ++world.changes
  }
}

/** Replies move up to the parent comment. */
export function deleteComment(world: World, comment: Comment): void {
  for (const reply of repliesOf(world, comment)) {
    reply.parentId = comment.parentId
    reply.changed = ++world.changes
  }
  const page = world.nodes.get(comment.pageId)
  world.comments.delete(comment.id)
  const rest = (world.commentsOf.get(comment.pageId) ?? []).filter((each) => each !== comment)
  world.commentsOf.set(comment.pageId, rest)
  const unused = !rest.some(({ markerRef }) => markerRef === comment.markerRef)
  if (page !== undefined && unused && comment.location === 'inline')
    page.body = removeMarker(page.body, comment)
  world.changes++
}

export const pageComments = (world: World, pageId: string): Comment[] => world.commentsOf.get(pageId) ?? []

export const repliesOf = (world: World, comment: Comment): Comment[] =>
  pageComments(world, comment.pageId).filter(({ parentId }) => parentId === comment.id)

/** From the root of the thread to the comment's parent. */
export function thread(world: World, comment: Comment): Comment[] {
  const parent = comment.parentId === null ? undefined : world.comments.get(comment.parentId)
  return parent === undefined ? [] : [...thread(world, parent), parent]
}

export const repliesUnder = (world: World, comment: Comment): Comment[] =>
  repliesOf(world, comment).flatMap((reply) => [reply, ...repliesUnder(world, reply)])

const rootOf = (world: World, comment: Comment): Comment => thread(world, comment)[0] ?? comment

/** Marks the first occurrence of the selection outside tags. */
function addMarker({ storage }: Body, { selection, markerRef }: Comment): Body {
  if (selection === '') return { storage }
  const words = selection.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const place = new RegExp(`(>[^<]*?)(${words})`)
  return {
    storage: storage.replace(
      place,
      `$1<ac:inline-comment-marker ac:ref="${markerRef}">$2</ac:inline-comment-marker>`,
    ),
  }
}

function removeMarker({ storage }: Body, { markerRef }: Comment): Body {
  const marker = new RegExp(
    `<ac:inline-comment-marker ac:ref="${markerRef}">([^<]*)</ac:inline-comment-marker>`,
  )
  return { storage: storage.replace(marker, '$1') }
}
