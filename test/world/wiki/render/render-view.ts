import type { ApiAccount, Comment, ContentNode, World } from '../model/model.ts'
import { renderChildren, type View } from '../view.ts'
import { escapeMarkup } from './macro.ts'
import { renderMacro } from './macros.ts'
import { renderAdf } from './render-adf.ts'
import { renderEmoji, renderImage, renderLink } from './render-links.ts'
import {
  attribute,
  childOf,
  isElement,
  parseStorage,
  type StorageElement,
  type StorageNode,
  textOf,
} from './storage-tree.ts'

export interface RenderOptions {
  world: World
  account: ApiAccount
  site: 'cloud' | 'dataCenter'
  representation?: string
}

/** What an account sees of a page, blog post or comment, without text it may not read. */
export function renderView(viewing: RenderOptions, content: ContentNode | Comment): string {
  const { world, site, representation = 'view' } = viewing
  const account = representation === 'anonymous_export_view' ? anonymous(viewing.account) : viewing.account
  const page = content.kind === 'comment' ? world.nodes.get(content.pageId) : content
  if (page === undefined) return ''
  const exported = representation === 'export_view' || representation === 'anonymous_export_view'
  const view: View = { world, account, site, exported, page, chain: [page.id], render }
  return render(view, parseStorage(content.body.storage))
}

/** An account without a person, which sees only public spaces. */
const anonymous = (account: ApiAccount): ApiAccount => ({ ...account, accountId: '', seesAll: false })

function render(view: View, pieces: readonly StorageNode[]): string {
  let html = ''
  for (const piece of pieces) {
    if (isElement(piece)) html += (elements[piece.tag] ?? passThrough)(view, piece)
    else html += piece.literal ? escapeMarkup(piece.text) : piece.text
  }
  return html
}

type ElementRenderer = (view: View, element: StorageElement) => string

const content: ElementRenderer = (view, element) => renderChildren(view, element.children)
const nothing: ElementRenderer = () => ''
const voidTags = new Set(['img', 'br', 'hr', 'col', 'input', 'wbr'])

/** Passes plain XHTML through; unknown wiki elements show their content. */
const passThrough: ElementRenderer = (view, element) => {
  if (element.tag.startsWith('ri:')) return ''
  if (element.tag.includes(':')) return content(view, element)
  return tag(view, element)
}

function tag(
  view: View,
  { tag: name, attributes, children }: StorageElement,
  more: Record<string, string> = {},
) {
  const attributeText = Object.entries({ ...attributes, ...more })
    .map(([key, value]) => ` ${key}="${value.replaceAll('"', '&quot;')}"`)
    .join('')
  if (voidTags.has(name)) return `<${name}${attributeText}/>`
  return `<${name}${attributeText}>${renderChildren(view, children)}</${name}>`
}

const classed =
  (name: string): ElementRenderer =>
  (view, element) => {
    const own = element.attributes.class
    return tag(view, element, { class: own === undefined ? name : `${own} ${name}` })
  }

const heading: ElementRenderer = (view, element) =>
  tag(view, element, { id: escapeMarkup(headingId(textOf(element.children))) })

export const headingId = (text: string): string => text.trim().replaceAll(/\s+/g, '-')

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function time(_: View, element: StorageElement): string {
  const date = attribute(element, 'datetime') ?? ''
  const [year = '', month = '', day = ''] = date.split('-')
  const shown = months[Number(month) - 1] === undefined ? date : `${day} ${months[Number(month) - 1]} ${year}`
  return `<time datetime="${escapeMarkup(date)}" class="date-past">${escapeMarkup(shown)}</time>`
}

/** A smart link: its text is the address. */
const anchor: ElementRenderer = (view, element) =>
  element.children.length === 0 && element.attributes['data-card-appearance'] !== undefined
    ? tag(view, { ...element, children: [{ text: element.attributes.href ?? '', literal: false }] })
    : tag(view, element)

function task(view: View, element: StorageElement): string {
  const id = textOf(childOf(element, 'ac:task-id')?.children ?? [])
  const done = textOf(childOf(element, 'ac:task-status')?.children ?? []).trim() === 'complete'
  const body = renderChildren(view, childOf(element, 'ac:task-body')?.children ?? [])
  const nested = element.children.filter((each) => isElement(each) && each.tag === 'ac:task-list')
  return `<li${done ? ' class="checked"' : ''} data-inline-task-id="${escapeMarkup(id)}"><span class="placeholder-inline-tasks">${body}</span>${renderChildren(view, nested)}</li>`
}

const elements: Record<string, ElementRenderer> = {
  table: (view, element) => `<div class="table-wrap">${classed('confluenceTable')(view, element)}</div>`,
  th: classed('confluenceTh'),
  td: classed('confluenceTd'),
  h1: heading,
  h2: heading,
  h3: heading,
  h4: heading,
  h5: heading,
  h6: heading,
  a: anchor,
  time,
  'ac:layout': (view, element) => `<div class="contentLayout2">${content(view, element)}</div>`,
  'ac:layout-section': (view, element) => {
    const type = escapeMarkup((attribute(element, 'ac:type') ?? 'single').replaceAll('_', '-'))
    return `<div class="columnLayout ${type}" data-layout="${type}">${content(view, element)}</div>`
  },
  'ac:layout-cell': (view, element) =>
    `<div class="cell normal" data-type="normal"><div class="innerCell">${content(view, element)}</div></div>`,
  'ac:task-list': (view, element) =>
    `<ul class="inline-task-list" data-inline-tasks-content-id="${view.page.id}">${content(view, element)}</ul>`,
  'ac:task': task,
  'ac:link': renderLink,
  'ac:image': renderImage,
  'ac:emoticon': (_, element) => renderEmoji(element),
  'ac:inline-comment-marker': (view, element) =>
    `<span class="inline-comment-marker" data-ref="${element.attributes['ac:ref'] ?? ''}">${content(view, element)}</span>`,
  'ac:adf-extension': renderAdf,
  'ac:structured-macro': renderMacro,
  'ac:macro': renderMacro,
  'ac:placeholder': nothing,
  'ac:parameter': nothing,
  'ac:default-parameter': nothing,
  'ac:task-id': nothing,
  'ac:task-uuid': nothing,
  'ac:task-status': nothing,
}
