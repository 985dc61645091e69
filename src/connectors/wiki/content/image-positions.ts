import { decodeEntities } from './storage/entities.ts'
import type { LinkTarget, OwnPage } from './storage/links.ts'
import type { ImagePlace, PageImage } from './storage/rendition.ts'

/** Where an image is. Credentials go only to files of the page itself. */
export function imagePlace(target: LinkTarget | null, page: OwnPage): Pick<PageImage, 'place' | 'src'> {
  if (target?.kind === 'file') return ownFile(decodeEntities(target.name), page)
  return target?.kind === 'url' ? imageAt(target.url.trim(), page) : OTHER
}

const OTHER: { place: ImagePlace; src: null } = { place: { kind: 'other' }, src: null }

function ownFile(name: string, { home, pageId }: OwnPage): Pick<PageImage, 'place' | 'src'> {
  if (name === '') return OTHER
  const src = `${home}/download/attachments/${pageId}/${encodeURIComponent(name.toWellFormed())}`
  return { place: { kind: 'own', name }, src }
}

function imageAt(written: string, page: OwnPage): Pick<PageImage, 'place' | 'src'> {
  if (/^data:/i.test(written)) return { place: { kind: 'inline' }, src: written }
  const home = new URL(page.home)
  const url = written === '' ? null : URL.parse(decodeEntities(written), `${page.home}/`)
  if (!url || !/^https?:$/.test(url.protocol)) return OTHER
  if (url.host !== home.host) return { place: { kind: 'elsewhere', url }, src: written }
  const path = url.pathname.slice(home.pathname.replace(/\/$/, '').length)
  const [, pageId, file = ''] = /^\/download\/(?:attachments|thumbnails)\/(\d+)\/([^/]+)$/.exec(path) ?? []
  return pageId === page.pageId ? ownFile(fileName(file), page) : OTHER
}

function fileName(written: string): string {
  try {
    return decodeURIComponent(written.replaceAll('+', ' '))
  } catch {
    return ''
  }
}
