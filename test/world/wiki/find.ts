import { attachmentById } from './model/attachments.ts'
import type { Attachment, Comment, ContentNode, Space, World } from './model/model.ts'

/** Finds what a control names, or throws an error that names it. */
export const findNode = (world: World, id: string): ContentNode =>
  world.nodes.get(id) ?? missing('content', id)

export const findSpace = (world: World, key: string): Space =>
  [...world.spaces.values()].find((each) => each.key === key || each.id === key) ?? missing('space', key)

export const findAttachment = (world: World, id: string): Attachment =>
  attachmentById(world, id) ?? missing('attachment', id)

export const findComment = (world: World, id: string): Comment =>
  world.comments.get(id) ?? missing('comment', id)

export function missing(what: string, id: string): never {
  throw new Error(`there is no ${what} ${id}`)
}
