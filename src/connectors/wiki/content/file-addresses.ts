import type { PageContext } from './storage/links.ts'

/** The page itself, as a page of `FileReferences`. */
export const OWN_PAGE = ''

/** A page and a file as in `FileReferences`. */
type ReferencedFile = [page: string, file: string]

/** The file at an address of this wiki, or null. */
export function fileAt(address: string, page: PageContext): ReferencedFile | null {
  const url = URL.parse(address.trim(), `${page.home}/`)
  const home = new URL(page.home)
  if (!url || url.host !== home.host || !url.pathname.startsWith(home.pathname.replace(/\/$/, '')))
    return null
  const [, pageId, name] = /\/download\/(?:attachments|thumbnails)\/(\d+)\/([^/]+)$/.exec(url.pathname) ?? []
  if (pageId && name) return [pageOf(pageId, page), decoded(name)]
  const [, of, id] = /\/content\/(\d+)\/child\/attachment\/att(\d+)\/download$/.exec(url.pathname) ?? []
  if (of && id) return [pageOf(of, page), `/file/${id}`]
  const [, shownOf, shown] = /^\/(\d+)\/(?:att)?(\d+)\//.exec(url.searchParams.get('preview') ?? '') ?? []
  return shownOf && shown ? [pageOf(shownOf, page), `/file/${shown}`] : null
}

/** The files in Markdown, HTML or old wiki markup. */
export function filesInMarkup(markup: string, page: PageContext): ReferencedFile[] {
  const addresses = [...markup.matchAll(ADDRESS)].flatMap(([address]) => {
    const path = address.slice(address.indexOf('/download/'))
    const found = fileAt(page.home + path, page)
    return found ? [found] : []
  })
  const names = [...markup.matchAll(MARKUP_LINK), ...markup.matchAll(MARKUP_IMAGE)]
  return [...addresses, ...names.map(([, name = '']): ReferencedFile => [OWN_PAGE, name.trim()])]
}

const ADDRESS = /\/download\/(?:attachments|thumbnails)\/\d+\/[^\s"'()<>?#|]+/g
/** `[^plan.pdf]` or `[the plan|^plan.pdf]`. */
const MARKUP_LINK = /\^([^\]|^\n]{1,255})\]/g
/** `!plan.png!` or `!plan.png|width=300!`. */
const MARKUP_IMAGE = /!([^!|\n/]{1,255}\.[a-z\d]{2,5})(?:\||!)/gi

function pageOf(id: string, { pageId }: PageContext): string {
  return id === pageId ? OWN_PAGE : `/${id}`
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return ''
  }
}
