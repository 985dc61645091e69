import type { ContentNode } from '../model/model.ts'
import { currentChildren } from '../model/site-index.ts'
import { isVisible, pageInParameter, renderChildren, spaceIdOf, type View } from '../view.ts'
import {
  isParameterOn,
  type MacroRenderer,
  type MacroTable,
  parameterText,
  type StoredMacro,
} from './macro.ts'
import { findExcerpt } from './macros-include.ts'
import { pageLink, renderMention } from './render-links.ts'
import { parseStorage } from './storage-tree.ts'

/** Lists of pages that the viewer may read. */
const children: MacroRenderer = (view, macro) => {
  const named = macro.parameters.has('page')
  const root = named ? pageInParameter(view, macro.parameters.get('page')) : view.page
  if (root === undefined || (named && !isVisible(view, root))) return ''
  const depth = isParameterOn(macro, 'all')
    ? Number.POSITIVE_INFINITY
    : Number(parameterText(macro, 'depth')) || 1
  return level(view, { root, depth, macro })
}

function level(
  view: View,
  { root, depth, macro }: { root: ContentNode; depth: number; macro: StoredMacro },
): string {
  const found = pagesBelow(view, root.id)
  if (found.length === 0 || depth < 1) return ''
  const items = found.map((node) => {
    const below = level(view, { root: node, depth: depth - 1, macro })
    return `<li>${pageLink(view, node)}${excerptText(view, macro, node)}${below}</li>`
  })
  return `<ul class="childpages-macro">${items.join('')}</ul>`
}

/** Pages in folders count as children of the folder's parent. */
function pagesBelow(view: View, id: string): ContentNode[] {
  return currentChildren(view.world, id).flatMap((node) => {
    // Data Center has no folders, so ignores their restrictions.
    const isFolder = node.kind === 'folder'
    if (!(isFolder && view.site === 'dataCenter') && !isVisible(view, node)) return []
    return isFolder ? pagesBelow(view, node.id) : [node]
  })
}

function excerptText(view: View, macro: StoredMacro, node: ContentNode): string {
  const wanted =
    isParameterOn(macro, 'excerpt') ||
    ['simple', 'rich content'].includes(parameterText(macro, 'excerptType'))
  const pieces = wanted ? findExcerpt(node) : undefined
  if (pieces === undefined || view.chain.includes(`${node.id}#`)) return ''
  return ` - ${renderChildren({ ...view, page: node, chain: [...view.chain, `${node.id}#`] }, pieces)}`
}

/** Pages or blog posts of the named spaces; by default of this one. */
export function pagesOf(view: View, macro: StoredMacro, kind: ContentNode['kind'] = 'page'): ContentNode[] {
  const keys = (parameterText(macro, 'spaces') || parameterText(macro, 'space'))
    .split(',')
    .map((key) => key.trim())
  const everywhere = keys.includes('@all') || keys.includes('*')
  const ids = new Set(keys.map((key) => spaceIdOf(view, key)))
  return [...view.world.nodes.values()].filter(
    (node) => node.kind === kind && (everywhere || ids.has(node.spaceId)) && isVisible(view, node),
  )
}

const max = (macro: StoredMacro, fallback: number): number => Number(parameterText(macro, 'max')) || fallback
const newest = (nodes: ContentNode[]): ContentNode[] =>
  nodes.sort((a, b) => b.version.when.localeCompare(a.version.when))

const recentlyUpdated: MacroRenderer = (view, macro) => {
  const found = newest(pagesOf(view, macro)).slice(0, max(macro, 15))
  const items = found.map(
    (node) =>
      `<li>${pageLink(view, node)} ${renderMention(view, view.world.people.get(node.version.by))}</li>`,
  )
  return `<ul class="recently-updated">${items.join('')}</ul>`
}

const blogPosts: MacroRenderer = (view, macro) => {
  const how = parameterText(macro, 'content') || 'entire'
  const items = newest(pagesOf(view, macro, 'blogpost'))
    .slice(0, max(macro, 15))
    .map((node) => {
      const pieces = how === 'entire' ? parseStorage(node.body.storage) : (findExcerpt(node) ?? [])
      const shown = how === 'titles' || view.chain.length > 2 || view.chain.includes(node.id) ? [] : pieces
      const text = renderChildren({ ...view, page: node, chain: [...view.chain, node.id] }, shown)
      return `<div class="blog-post-listing">${pageLink(view, node)}${text}</div>`
    })
  return items.join('')
}

const index: MacroRenderer = (view, macro) => {
  const found = pagesOf(view, macro).sort((a, b) => (a.title < b.title ? -1 : 1))
  return `<ul class="space-index">${found.map((node) => `<li>${pageLink(view, node)}</li>`).join('')}</ul>`
}

const labels: MacroRenderer = (view, macro) => {
  const names = new Set(pagesOf(view, macro).flatMap((node) => node.labels))
  return `<ul class="label-list">${[...names].map((name) => `<li>${name}</li>`).join('')}</ul>`
}

export const listMacros: MacroTable = {
  children,
  'recently-updated': recentlyUpdated,
  'blog-posts': blogPosts,
  index,
  listlabels: labels,
  // The browser fills in both.
  pagetree: () => '<div class="plugin_pagetree"></div>',
  pagetreesearch: () => '<form class="pagetreesearch"></form>',
  livesearch: () => '<form class="search-macro"></form>',
}
