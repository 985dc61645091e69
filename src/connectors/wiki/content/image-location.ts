import { decodeEntities } from './storage/entities.ts'
import { fileAddress, type LinkTarget, type PageContext } from './storage/links.ts'
import type { ImageLocation, PageImage } from './storage/rendition.ts'

/** Where an image is. Credentials go only to files of the page itself. */
export function imageLocation(
  target: LinkTarget | null,
  page: PageContext,
): Pick<PageImage, 'location' | 'src'> {
  if (target?.kind === 'file') return ownFile(decodeEntities(target.name), page)
  return target?.kind === 'url' ? imageAt(target.url.trim(), page) : OTHER
}

const OTHER: { location: ImageLocation; src: null } = { location: { kind: 'other' }, src: null }

function ownFile(name: string, page: PageContext): Pick<PageImage, 'location' | 'src'> {
  if (name === '') return OTHER
  return { location: { kind: 'own', name }, src: fileAddress(page.pageId, name, page) }
}

function imageAt(value: string, page: PageContext): Pick<PageImage, 'location' | 'src'> {
  if (/^data:/i.test(value)) return { location: { kind: 'inline' }, src: value }
  const home = new URL(page.home)
  const url = value === '' ? null : URL.parse(decodeEntities(value), `${page.home}/`)
  if (!url || !/^https?:$/.test(url.protocol)) return OTHER
  if (url.host !== home.host) return { location: { kind: 'external', url }, src: value }
  const path = url.pathname.slice(home.pathname.replace(/\/$/, '').length)
  const [, pageId, file = ''] = /^\/download\/(?:attachments|thumbnails)\/(\d+)\/([^/]+)$/.exec(path) ?? []
  return pageId === page.pageId ? ownFile(fileName(file), page) : OTHER
}

function fileName(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '))
  } catch {
    return ''
  }
}
