import { canSeeContent } from './access/truth.ts'
import { newAccount } from './accounts.ts'
import { findNode, missing } from './find.ts'
import type { ApiAccount, Comment, ContentNode, World } from './model/model.ts'
import { renderView } from './render/render-view.ts'

/** The typed body, and what one account sees of it. */
export function bodyCommands(world: World) {
  const content = (id: string): ContentNode | Comment => world.comments.get(id) ?? findNode(world, id)
  return {
    body: (id: string): { storage: string } => ({ storage: content(id).body.storage }),
    /** By caller name or account id; null if it cannot see the page. */
    view: (id: string, viewer: string, site: 'cloud' | 'dataCenter' = 'cloud'): string | null => {
      const account = viewerOf(world, viewer)
      const found = content(id)
      if (!canSeeContent(world, account, found, site)) return null
      return renderView({ world, account, site }, found)
    },
  }
}

function viewerOf(world: World, viewer: string): ApiAccount {
  const caller = world.accounts.find(({ name }) => name === viewer)
  if (caller !== undefined) return caller
  if (!world.people.has(viewer)) return missing('account', viewer)
  return newAccount('member', viewer)
}
