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
  | { kind: 'file'; name: string }
  | { kind: 'url'; url: string }

/** Reads a resource identifier (`ri:*`); null if it has no text. */
export function linkTargetOf(
  name: string,
  attributes: StorageAttributes,
  page: PageContext,
): LinkTarget | null {
  const title = attributes['ri:content-title'] ?? ''
  if (name === 'ri:user') return userTarget(attributes)
  if (name === 'ri:attachment') return { kind: 'file', name: attributes['ri:filename'] ?? '' }
  if (name === 'ri:url') return { kind: 'url', url: attributes['ri:value'] ?? '' }
  if (name === 'ri:page' || name === 'ri:blog-post')
    return { kind: 'text', label: isSpecial(title) ? '' : title, href: addressOf(name, attributes, page) }
  if (name === 'ri:space') {
    const key = attributes['ri:space-key'] ?? ''
    return { kind: 'text', label: isSpecial(key) ? '' : key, href: null }
  }
  if (name === 'ri:shortcut') return { kind: 'text', label: attributes['ri:parameter'] ?? '', href: null }
  if (name === 'ri:content-entity') {
    const id = attributes['ri:content-id'] ?? ''
    const href = /^\d+$/.test(id) ? `${page.home}/pages/viewpage.action?pageId=${id}` : null
    return { kind: 'text', label: '', href }
  }
  return null
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

/** Both deployments redirect this address by title. */
function addressOf(name: string, attributes: StorageAttributes, page: PageContext): string | null {
  const title = decodeEntities(attributes['ri:content-title'] ?? '')
  const spaceKey = decodeEntities(attributes['ri:space-key'] ?? '')
  const key = spaceKey === '' || isSpecial(spaceKey) ? page.spaceKey : spaceKey
  if (name !== 'ri:page' || title === '' || isSpecial(title)) return null
  return `${page.home}/display/${encodeURIComponent(key.toWellFormed())}/${encodeURIComponent(title.toWellFormed())}`
}

/** `@self`, `@home`, `currentSpace()`: placeholders that are never shown. */
function isSpecial(name: string): boolean {
  return /^@\w+$|\(\)$/.test(name)
}
