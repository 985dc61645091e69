import { canSee } from './access/truth.ts'
import type { ApiAccount, ContentNode, World } from './model/model.ts'
import { currentByTitle } from './model/site-index.ts'
import { attribute, isElement, type StorageElement, type StorageNode, textOf } from './render/storage-tree.ts'

/** One rendering: viewer, site and page. */
export interface View {
  world: World
  account: ApiAccount
  site: 'cloud' | 'dataCenter'
  /** `export_view`: no macro wrappers or ids. */
  exported: boolean
  /** The page of the text or comment; changes inside an include. */
  page: ContentNode
  /** Enclosing includes, to detect cycles. */
  chain: readonly string[]
  render: (view: View, pieces: readonly StorageNode[]) => string
}

export const renderChildren = (view: View, pieces: readonly StorageNode[]): string =>
  view.render(view, pieces)

export const isVisible = (
  { world, account, site }: View,
  node: ContentNode | undefined,
): node is ContentNode =>
  node !== undefined && node.status === 'current' && canSee(world, account, node, site)

/** The node a `ri:` element names, visible or not. */
export function namedNode(view: View, ri: StorageElement): ContentNode | undefined {
  const { world, page } = view
  if (ri.tag === 'ri:content-entity') return world.nodes.get(attribute(ri, 'ri:content-id') ?? '')
  const title = attribute(ri, 'ri:content-title') ?? ''
  const spaceId = spaceIdOf(view, attribute(ri, 'ri:space-key'))
  if (title === '@self') return page
  if (title === '@home') return world.nodes.get(world.spaces.get(spaceId ?? '')?.homepageId ?? '')
  if (spaceId === undefined) return undefined
  const kind = ri.tag === 'ri:blog-post' ? 'blogpost' : 'page'
  return currentByTitle(world, { spaceId, title }).find((node) => node.kind === kind)
}

/** Without a key, the page's own space. */
export function spaceIdOf({ world, page }: View, key: string | undefined): string | undefined {
  if (key === undefined || ['', 'currentSpace()', '@self'].includes(key)) return page.spaceId
  for (const space of world.spaces.values()) if (space.key === key) return space.id
  return undefined
}

/** A page by parameter: a link, a resource, or the old `SPACE:Title`. */
export function pageInParameter(view: View, parameter: StorageElement | undefined): ContentNode | undefined {
  if (parameter === undefined) return undefined
  const named = firstResource(parameter.children)
  if (named !== undefined) return namedNode(view, named)
  const text = textOf(parameter.children).trim()
  if (text === '') return undefined
  const inSpace = /^([A-Za-z0-9~]+):(.+)$/.exec(text)
  const byTitle = (title: string, key?: string) =>
    namedNode(view, {
      tag: 'ri:page',
      attributes: {
        'ri:content-title': title.replaceAll('&', '&amp;'),
        ...(key === undefined ? {} : { 'ri:space-key': key }),
      },
      children: [],
    })
  return byTitle(text) ?? (inSpace === null ? undefined : byTitle(inSpace[2] ?? '', inSpace[1]))
}

export function firstResource(pieces: readonly StorageNode[]): StorageElement | undefined {
  for (const piece of pieces) {
    if (!isElement(piece)) continue
    if (['ri:page', 'ri:blog-post', 'ri:content-entity'].includes(piece.tag)) return piece
    const below = firstResource(piece.children)
    if (below !== undefined) return below
  }
  return undefined
}

/** With `/wiki` in front, as stored; Data Center gets its own context when sent. */
export function addressOf({ world, site }: View, node: ContentNode): string {
  if (site === 'dataCenter') return `/wiki/pages/viewpage.action?pageId=${node.id}`
  return `/wiki/spaces/${world.spaces.get(node.spaceId)?.key}/pages/${node.id}`
}
