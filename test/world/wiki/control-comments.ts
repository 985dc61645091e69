import { findComment, findNode } from './find.ts'
import * as comments from './model/comments.ts'
import type { Resolution, World } from './model/model.ts'

/** Comments on pages. None of them changes the version of the page. */
export function commentCommands(world: World) {
  return {
    /** `location` defaults to footer; a reply has the location of its parent. */
    addComment: (
      pageId: string,
      input: {
        body: string
        location?: 'footer' | 'inline'
        parentId?: string
        selection?: string
        authorId?: string
        when?: string
      },
    ): string => {
      const { body, authorId, when, ...rest } = input
      const page = findNode(world, pageId)
      const comment = comments.addComment(world, page, {
        ...rest,
        body: { storage: body },
        authorId: authorId ?? page.authorId,
        ...(when === undefined ? {} : { createdAt: when }),
      })
      return comment.id
    },
    editComment: (id: string, { body }: { body: string }): void =>
      comments.editComment(world, findComment(world, id), { storage: body }),
    /** The whole thread; `resolved` by default. */
    resolveComment: (id: string, resolution: Resolution = 'resolved'): void => {
      const found = findComment(world, id)
      comments.resolveComment(world, found, resolution, found.authorId)
    },
    /** Its replies move up to its parent. */
    deleteComment: (id: string): void => comments.deleteComment(world, findComment(world, id)),
  }
}
