import { decodeEntities } from './entities.ts'
import type { StorageAttributes } from './reader.ts'

/** The rendered page, and the wiki's address for people. */
export type PageContext = { pageId: string; title: string; spaceKey: string; home: string }

/** A person in a body: account id on Cloud, key or name on Data Center. */
export type UserRef = { by: 'account' | 'key' | 'username'; id: string }

/** The target of a link or image. Values contain entities. */
export type LinkTarget =
  | { kind: 'text'; label: string; href: string | null }
  | { kind: 'user'; user: UserRef }
  /** `pageId` is null if it is on a page without a known id. */
  | { kind: 'file'; name: string; pageId: string | null }
  | { kind: 'url'; url: string }

/** Reads a resource identifier (`ri:*`); null if it has no text. */
export function linkTargetOf(
  name: string,
  attributes: StorageAttributes,
  page: PageContext,
): LinkTarget | null {
  if (name === 'ri:user') return userTarget(attributes)
  if (name === 'ri:attachment')
    return { kind: 'file', name: attributes['ri:filename'] ?? '', pageId: page.pageId }
  if (name === 'ri:url') return { kind: 'url', url: attributes['ri:value'] ?? '' }
  const title = attributes['ri:content-title'] ?? ''
  const label = isSpecial(title) ? '' : title
  if (name === 'ri:page') return { kind: 'text', label, href: pageAddress(attributes, page) }
  if (name === 'ri:blog-post') return { kind: 'text', label, href: postAddress(attributes, page) }
  if (name === 'ri:space') {
    const key = attributes['ri:space-key'] ?? ''
    return { kind: 'text', label: isSpecial(key) ? '' : key, href: spaceAddress(attributes, page) }
  }
  if (name === 'ri:shortcut') return { kind: 'text', label: attributes['ri:parameter'] ?? '', href: null }
  if (name === 'ri:content-entity') {
    const id = contentId(attributes)
    return { kind: 'text', label: '', href: id && `${page.home}/pages/viewpage.action?pageId=${id}` }
  }
  return null
}

export function fileAddress(pageId: string, name: string, { home }: PageContext): string {
  return `${home}/download/attachments/${pageId}/${encoded(name)}`
}

/** The id of the page in a file's reference; null if only its title is known. */
export function filePageId(name: string, attributes: StorageAttributes, page: PageContext): string | null {
  return isSamePage(name, attributes, page) ? page.pageId : contentId(attributes)
}

export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** Whether the page in a file's reference is the rendered page. */
export function isSamePage(name: string, attributes: StorageAttributes, page: PageContext): boolean {
  if (name === 'ri:content-entity') return attributes['ri:content-id'] === page.pageId
  if (name !== 'ri:page') return false
  const title = decodeEntities(attributes['ri:content-title'] ?? '')
  const key = attributes['ri:space-key'] ?? page.spaceKey
  if (title === '@self') return true
  return title === page.title && (key === page.spaceKey || key === 'currentSpace()')
}

function contentId(attributes: StorageAttributes): string | null {
  const id = attributes['ri:content-id'] ?? ''
  return /^\d+$/.test(id) ? id : null
}

function userTarget(attributes: StorageAttributes): LinkTarget | null {
  const idAttributes = [
    ['ri:account-id', 'account'],
    ['ri:userkey', 'key'],
    ['ri:username', 'username'],
  ] as const
  for (const [attribute, by] of idAttributes) {
    const id = attributes[attribute]
    if (id) return { kind: 'user', user: { by, id: decodeEntities(id) } }
  }
  return null
}

/** Both deployments redirect these addresses. Paths resolve only for titles without reserved characters. */
function pageAddress(attributes: StorageAttributes, page: PageContext): string | null {
  const title = decodeEntities(attributes['ri:content-title'] ?? '')
  if (title === '@home') return spaceAddress(attributes, page)
  if (title === '' || isSpecial(title)) return null
  if (isPathTitle(title)) return `${spaceAddress(attributes, page)}/${encoded(title)}`
  return `${page.home}/pages/viewpage.action?spaceKey=${spaceKey(attributes, page)}&amp;title=${encoded(title)}`
}

/** If the path does not take its title, the posts of its day. */
function postAddress(attributes: StorageAttributes, page: PageContext): string | null {
  const title = decodeEntities(attributes['ri:content-title'] ?? '')
  const day = attributes['ri:posting-day'] ?? ''
  if (!/^\d{4}\/\d{2}\/\d{2}$/.test(day)) return null
  return `${spaceAddress(attributes, page)}/${day}${isPathTitle(title) ? `/${encoded(title)}` : ''}`
}

function spaceAddress(attributes: StorageAttributes, page: PageContext): string {
  return `${page.home}/display/${spaceKey(attributes, page)}`
}

function spaceKey(attributes: StorageAttributes, page: PageContext): string {
  const key = decodeEntities(attributes['ri:space-key'] ?? '')
  return encoded(key === '' || isSpecial(key) ? page.spaceKey : key)
}

function isPathTitle(title: string): boolean {
  return /^[\p{L}\p{M}\p{N} _.,()!'~*-]+$/u.test(title) && !title.endsWith('.')
}

/** `@self`, `@home`, `currentSpace()`: placeholders that are never shown. */
function isSpecial(name: string): boolean {
  return /^@\w+$|\(\)$/.test(name)
}
