import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { afterEach } from 'node:test'
import type { SourceDocument } from '../../src/document.ts'
import { type Internet, openInternet } from './internet.ts'
import { onBothSites, type Site } from './sites.ts'
import { ownImage } from './storage.ts'
import { pngFile } from './wiki/model/files.ts'
import { listAll, pageOf, readDocument } from './wiki-source.ts'

export const PNG = pngFile(3)
export const OTHER_PNG = pngFile(5)
export const HTML = Buffer.from('<!DOCTYPE html><html><body>no picture</body></html>')
/** A picture padded to this many bytes. */
export const pictureOf = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)])
/** The form in which sources are reported. */
export const embedded = (bytes: Buffer, type = 'image/png') =>
  short(`data:${type};base64,${bytes.toString('base64')}`)

const TITLE = 'picture.png'
export const picture = ownImage(TITLE)

type Read = SourceDocument & { html: string; sources: string[] }
type Storage = string | ((pageId: string) => Promise<string>)
type Pictured = Site & {
  internet: Internet
  attach(pageId: string, bytes: Buffer, more?: { title?: string; mediaType?: string }): Promise<string>
  /** A page with its own picture. */
  pictured(space: string): Promise<{ pageId: string; id: string }>
  read(space: string, pageId: string, more?: object): Promise<Read>
  /** A page of a new space with this body, read. */
  readOne(storage: Storage, more?: object): Promise<Read>
  requests(): Promise<string[]>
}

/** Pictures of pages on both deployments, with an internet for external pictures. */
export function onPicturedSites(tests: (site: Pictured) => void): void {
  const internet = openInternet({
    '/good.png': () => ({
      body: PNG,
      headers: { 'content-type': 'text/plain', 'set-cookie': 'session=canary' },
    }),
    '/page.png': () => ({ body: HTML, headers: { 'content-type': 'image/png' } }),
    '/broken.png': () => ({ status: 500 }),
    '/inside.png': (inside) => ({ status: 302, headers: { location: `${inside}/x.png` } }),
    '/away.png': () => ({ status: 302, headers: { location: 'http://other.example/good.png' } }),
    '/large.png': () => ({ body: pictureOf(1_500_001) }),
  })
  const options = {
    wiki: { seed: 31, spaces: 3, pages: 30, people: 10, groups: 4 },
    settings: { extract_images: true },
    egress: () => internet.open(PNG),
  }
  onBothSites('the images of a page', options, (site) => {
    afterEach(() => internet.forget())
    tests(withPictures(site, internet))
  })
}

function withPictures(site: Site, internet: Internet): Pictured {
  const { newSpace, newPage, open } = site
  const attach: Pictured['attach'] = (pageId, bytes, more = {}) =>
    site.control.attach(pageId, {
      title: TITLE,
      mediaType: 'image/png',
      base64: bytes.toString('base64'),
      ...more,
    })
  const pictured: Pictured['pictured'] = async (space) => {
    const pageId = await newPage(space)
    const id = await attach(pageId, PNG)
    await site.control.editPage(pageId, { body: picture })
    return { pageId, id }
  }
  const read: Pictured['read'] = async (space, pageId, more) => {
    const source = open(space, more)
    const document = await readDocument(source, pageOf((await listAll(source)).refs, pageId))
    const html = String(document.body)
    return { ...document, html, sources: sourcesIn(html) }
  }
  const readOne: Pictured['readOne'] = async (storage, more) => {
    const space = await newSpace()
    const id = await newPage(space)
    await site.control.editPage(id, { body: typeof storage === 'string' ? storage : await storage(id) })
    return read(space, id, more)
  }
  const requests = async () => (await site.control.requests()).map(({ url }) => url)
  // In place: the wiki is set only when the tests begin.
  return Object.assign(site, { internet, attach, pictured, read, readOne, requests })
}

export function missing({ warnings = [] }: SourceDocument): number {
  assert.ok(warnings.every(({ code }) => code === 'images_missing'))
  return warnings.reduce((sum, { count }) => sum + count, 0)
}

/** By hand, without any code under test. */
function sourcesIn(html: string): string[] {
  const unescaped = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  return [...html.matchAll(/<img\s(?:[^>"]|"[^"]*")*?(?<=\s)src="([^"]*)"/g)].map(([, src = '']) =>
    short(unescaped(src)),
  )
}

/** Shortens half a megabyte of Base64 in failures. */
function short(source: string): string {
  if (!source.startsWith('data:') || source.length < 100) return source
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 8)
  return `${source.slice(0, source.indexOf(','))},${digest}`
}
