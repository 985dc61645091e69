import type { FileBody } from './file-body.ts'
import { type Attachment, type NodeStatus, newId, type World } from './model.ts'

/** Creates and changes attachments, without a new version of the page. */
export type NewAttachment = Pick<Attachment, 'pageId' | 'title' | 'mediaType' | 'bytes' | 'authorId'> &
  Partial<Pick<Attachment, 'broken' | 'comment' | 'createdAt'>>

/** A file with an existing title becomes a new version, unless `twice`. */
export function addAttachment(world: World, input: NewAttachment, allowDuplicate = false): Attachment {
  const same = allowDuplicate
    ? undefined
    : attachmentsOf(world, input.pageId).find(({ title }) => title === input.title)
  if (same !== undefined) {
    same.broken = input.broken ?? 'no'
    same.mediaType = input.mediaType
    return updateAttachment(world, same, input.bytes)
  }
  const id = newId(world)
  const createdAt = input.createdAt ?? world.nodes.get(input.pageId)?.createdAt ?? new Date().toISOString()
  const attachment: Attachment = {
    kind: 'attachment',
    id: `att${id}`,
    status: 'current',
    fileId: fileIdOf(id),
    createdAt,
    comment: '',
    version: { number: 1, when: createdAt, by: input.authorId, message: '', minorEdit: false },
    older: new Map(),
    broken: 'no',
    changed: ++world.changes,
    ...input,
  }
  world.attachments.set(attachment.id, attachment)
  world.files.set(attachment.fileId, { attachment, bytes: attachment.bytes })
  addToPage(world, attachment)
  return attachment
}

export function updateAttachment(world: World, attachment: Attachment, bytes: FileBody): Attachment {
  const { version, fileId } = attachment
  attachment.older.set(version.number, { fileId, bytes: attachment.bytes })
  attachment.bytes = bytes
  attachment.fileId = fileIdOf(newId(world))
  attachment.version = { ...version, number: version.number + 1, when: new Date().toISOString() }
  attachment.changed = ++world.changes
  world.files.set(attachment.fileId, { attachment, bytes })
  return attachment
}

export function trashAttachment(world: World, attachment: Attachment): void {
  attachment.status = 'trashed'
  attachment.changed = ++world.changes
}

export function moveAttachment(world: World, attachment: Attachment, pageId: string): void {
  removeFromPage(world, attachment)
  attachment.pageId = pageId
  attachment.changed = ++world.changes
  addToPage(world, attachment)
}

export function removeAttachment(world: World, attachment: Attachment): void {
  removeFromPage(world, attachment)
  world.attachments.delete(attachment.id)
  for (const { fileId } of [attachment, ...attachment.older.values()]) world.files.delete(fileId)
  world.changes++
}

/** Attachments of a page outside the trash. */
export const attachmentsOf = (world: World, pageId: string): Attachment[] =>
  (world.attachmentsOf.get(pageId) ?? []).filter(({ status }) => status === 'current')

/** An attachment shares the archived or trashed status of its page. */
export function attachmentStatus(world: World, { status, pageId }: Attachment): NodeStatus {
  const page = world.nodes.get(pageId)
  return page === undefined || status === 'trashed' || page.status === 'current' ? status : page.status
}

/** Cloud accepts ids with and without `att`. */
export const attachmentById = (world: World, id: string): Attachment | undefined =>
  world.attachments.get(id.startsWith('att') ? id : `att${id}`)

/** The bytes of one version; undefined if it never existed. */
export function versionOf(
  attachment: Attachment,
  number: string | null,
): { fileId: string; bytes: FileBody } | undefined {
  if (number === null || Number(number) === attachment.version.number) return attachment
  return attachment.older.get(Number(number))
}

function addToPage(world: World, attachment: Attachment): void {
  const list = world.attachmentsOf.get(attachment.pageId)
  if (list === undefined) world.attachmentsOf.set(attachment.pageId, [attachment])
  else list.push(attachment)
}

function removeFromPage(world: World, attachment: Attachment): void {
  const list = world.attachmentsOf.get(attachment.pageId) ?? []
  world.attachmentsOf.set(
    attachment.pageId,
    list.filter((each) => each !== attachment),
  )
}

const fileIdOf = (id: string): string => `00000000-0000-4000-8000-${id.padStart(12, '0')}`
