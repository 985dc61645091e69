import type { Stored } from './client.ts'
import type { ImageTag } from './image-tags.ts'
import type { Site } from './transport/site.ts'

/** Where the picture of an image is: in the wiki's own store, elsewhere in the world, or nowhere it can be had. */
export type ImagePlace =
  | { kind: 'stored'; stored: Stored }
  | { kind: 'elsewhere'; url: URL }
  | { kind: 'unknown' }
  /** A character, a decoration of the wiki, or a picture that stands in the page itself. */
  | { kind: 'none' }

/**
 * Credentials only ever go to the store: an address that a page's author wrote must not make the account call
 * anything else of the wiki.
 */
export function placeOfImage({ attributes }: ImageTag, site: Site): ImagePlace {
  const source = attributes['data-image-src'] || attributes.src || ''
  if (source === '' || /^data:/i.test(attributes.src ?? '') || isEmoji(attributes)) return { kind: 'none' }
  const url = URL.parse(source, `${site.home}/`)
  const named = storedByName(attributes)
  if (named) return { kind: 'stored', stored: named }
  if (!url || !/^https?:$/.test(url.protocol)) return { kind: 'unknown' }
  const path = pathWithin(site, url)
  if (path === null) return { kind: 'elsewhere', url }
  const stored = storedByPath(path)
  if (stored) return { kind: 'stored', stored }
  return { kind: /^\/(s|images)\//.test(path) ? 'none' : 'unknown' }
}

function isEmoji(attributes: Record<string, string>): boolean {
  return /(?:^|\s)(?:emoticon|emoji)/.test(attributes.class ?? '')
}

/** The page and the file that the wiki names beside the address. */
function storedByName(attributes: Record<string, string>): Stored | null {
  const pageId = attributes['data-linked-resource-container-id'] ?? ''
  const fileId = attributes['data-linked-resource-id'] ?? ''
  const name = attributes['data-linked-resource-default-alias'] ?? ''
  if (!/^\d+$/.test(pageId) || !isName(name)) return null
  return { pageId, name, fileId: /^\d+$/.test(fileId) ? fileId : null }
}

function storedByPath(path: string): Stored | null {
  const [, pageId, written] = /^\/download\/(?:attachments|thumbnails)\/(\d+)\/([^/]+)$/.exec(path) ?? []
  if (!pageId || !written) return null
  const name = decoded(written.replace(/\+/g, ' '))
  return name !== null && isName(name) ? { pageId, name, fileId: null } : null
}

function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..'
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The path of an address behind the wiki's own, for people or for the API; null for other hosts. */
function pathWithin(site: Site, url: URL): string | null {
  for (const base of [site.home, site.base].map((text) => new URL(text))) {
    if (url.host !== base.host) continue
    const start = base.pathname.replace(/\/$/, '')
    return url.pathname.startsWith(`${start}/`) ? url.pathname.slice(start.length) : url.pathname
  }
  return null
}
