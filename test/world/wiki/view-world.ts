import { newAccount } from './accounts.ts'
import { addAttachment } from './model/attachments.ts'
import { addNode, addSpace } from './model/edits.ts'
import { type ApiAccount, type ContentNode, emptyWorld, type World } from './model/model.ts'
import { addGroup, addPerson } from './model/people.ts'
import { grant } from './model/roles.ts'
import type { Settings } from './model/settings.ts'
import { type RenderOptions, renderView } from './render/render-view.ts'

/** Two people and two spaces: Ben may not read `secret` pages. */
export function viewWorld(settings: Partial<Settings> = {}) {
  const world: World = emptyWorld(settings)
  addGroup(world, { id: 'g-all', name: 'confluence-users' })
  addPerson(world, { accountId: 'ann', name: 'Ann Ash' })
  addPerson(world, { accountId: 'ben', name: 'Ben Birch' })
  addGroup(world, { id: 'g-tree', name: 'tree-keepers', members: ['ann'] })
  const spaces = new Map(
    ['ENG', 'OPS'].map((key) => [
      key,
      addSpace(world, {
        key,
        name: `The ${key} space`,
        authorId: 'ann',
        permissions: grant('group', 'g-all', 'viewer'),
      }),
    ]),
  )
  const page = (
    title: string,
    body: string,
    more: {
      space?: string
      parent?: ContentNode
      secret?: boolean
      labels?: string[]
      kind?: ContentNode['kind']
      status?: ContentNode['status']
    } = {},
  ): ContentNode =>
    addNode(world, {
      spaceId: spaces.get(more.space ?? 'ENG')?.id ?? '',
      parentId: more.parent?.id ?? null,
      title,
      body: { storage: body },
      authorId: 'ann',
      createdAt: '2026-02-03T04:05:06.000Z',
      ...(more.labels === undefined ? {} : { labels: more.labels }),
      ...(more.kind === undefined ? {} : { kind: more.kind }),
      ...(more.status === undefined ? {} : { status: more.status }),
      ...(more.secret === true ? { restrictions: { read: { users: ['ann'], groups: [] } } } : {}),
    })
  const attach = (node: ContentNode, title: string, mediaType = 'image/png') =>
    addAttachment(world, { pageId: node.id, authorId: 'ann', title, mediaType, bytes: Buffer.from('x') })
  const accounts: Record<'ann' | 'ben', ApiAccount> = {
    ann: newAccount('member', 'ann'),
    ben: newAccount('member', 'ben'),
  }
  const seen = (node: ContentNode, who: 'ann' | 'ben' = 'ann', more: Partial<RenderOptions> = {}): string =>
    renderView({ world, account: accounts[who], site: 'cloud', ...more }, node)
  return { world, page, attach, seen, spaces }
}

/** The words that a reader sees. */
export const visibleWords = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
