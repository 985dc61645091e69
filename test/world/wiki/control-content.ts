import { findAttachment, findNode, findSpace } from './find.ts'
import * as files from './model/attachments.ts'
import * as edits from './model/edits.ts'
import type { Attachment, ContentNode, World } from './model/model.ts'

/** What a test can do to pages, blog posts, folders and attachments. */
export function contentCommands(world: World) {
  const node = (id: string): ContentNode => findNode(world, id)
  return {
    createPage: (input: {
      /** In storage format. */
      body?: string
      space: string
      title: string
      parentId?: string | null
      labels?: string[]
      kind?: ContentNode['kind']
      status?: ContentNode['status']
      authorId?: string
      when?: string
    }): string => {
      const { id, homepageId, authorId } = findSpace(world, input.space)
      const body = { storage: input.body ?? `<p>${input.title}</p>` }
      const parentId = input.parentId === undefined ? homepageId : input.parentId
      const { title, labels = [], kind = 'page', status = 'current' } = input
      const when = input.when === undefined ? {} : { createdAt: input.when }
      return edits.addNode(world, {
        spaceId: id,
        parentId,
        title,
        body,
        labels,
        kind,
        status,
        authorId: input.authorId ?? authorId,
        ...when,
      }).id
    },
    editPage: (id: string, change: { title?: string; body?: string; when?: string }): void => {
      const { title, body: storage, when } = change
      edits.editNode(world, node(id), {
        ...(title === undefined ? {} : { title }),
        ...(when === undefined ? {} : { when }),
        ...(storage === undefined ? {} : { body: { storage } }),
      })
    },
    /** A body of this many bytes of real paragraphs. */
    setBigBody: (id: string, bytes: number): void => {
      const piece = '<p>A very long page repeats itself, and every reader has to live with that.</p>\n'
      const storage = piece.repeat(Math.floor(bytes / piece.length)).padEnd(bytes)
      edits.editNode(world, node(id), { body: { storage } })
    },
    /** A body that is not HTML: control characters, broken tags, unpaired surrogates. */
    setBinaryBody: (id: string): void => {
      const noise = Array.from({ length: 4000 }, (_, at) => String.fromCharCode((at * 7919) % 256)).join('')
      edits.editNode(world, node(id), {
        body: { storage: `PK\u0003\u0004${noise}\ud800<\u0000<<p </` },
      })
    },
    movePage: (id: string, parentId: string | null): void => edits.moveNode(world, node(id), parentId),
    trashPage: (id: string): void => edits.setStatus(world, node(id), 'trashed'),
    restorePage: (id: string): void => edits.setStatus(world, node(id), 'current'),
    archivePage: (id: string): void => edits.setStatus(world, node(id), 'archived'),
    deletePage: (id: string): void => edits.purgeNode(world, node(id)),
    labelPage: (id: string, labels: string[]): void => {
      node(id).labels = labels
      node(id).changed = ++world.changes
    },

    /** An existing title makes a new version of that attachment, unless `twice`. */
    attach: (
      pageId: string,
      file: {
        title: string
        mediaType: string
        base64: string
        broken?: Attachment['broken']
        comment?: string
        twice?: boolean
      },
    ): string => {
      const { base64, twice, broken = 'no', ...rest } = file
      const { id, authorId } = node(pageId)
      const bytes = Buffer.from(base64, 'base64')
      return files.addAttachment(
        world,
        { ...rest, pageId: id, authorId, bytes, broken, createdAt: new Date().toISOString() },
        twice,
      ).id
    },
    /** Only the declared size: the bytes are generated while they are sent. */
    attachHuge: (pageId: string, file: { title: string; mediaType: string; size: number }): string => {
      const { title, mediaType, size } = file
      const { id, authorId } = node(pageId)
      const createdAt = new Date().toISOString()
      return files.addAttachment(world, {
        pageId: id,
        title,
        mediaType,
        bytes: { size, mediaType },
        authorId,
        createdAt,
      }).id
    },
    /** A new version; returns its number. */
    updateAttachment: (id: string, { base64 }: { base64: string }): number =>
      files.updateAttachment(world, findAttachment(world, id), Buffer.from(base64, 'base64')).version.number,
    trashAttachment: (id: string): void => files.trashAttachment(world, findAttachment(world, id)),
    moveAttachment: (id: string, toPageId: string): void =>
      files.moveAttachment(world, findAttachment(world, id), node(toPageId).id),
    removeAttachment: (id: string): boolean => {
      const found = files.attachmentById(world, id)
      if (found !== undefined) files.removeAttachment(world, found)
      return found !== undefined
    },
  }
}
