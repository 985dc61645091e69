import { posix } from 'node:path'
import { readMarkup } from '../markup.ts'
import { type ArchiveParts, unpack } from './archive.ts'
import { blocksOf } from './paged.ts'
import type { ReadFile } from './reading-file.ts'
import { brokenFile } from './refusals.ts'

/** An e-book: HTML chapters in the order of its spine. */
export const readEpub: ReadFile = async (file, { progress }) => {
  const parts = unpack(file, (name) => /\.(xml|opf|x?html?)$/i.test(name))
  const chapters = spineOf(parts)
  if (chapters.length === 0) throw brokenFile(file.filename, 'it lists no chapters')
  const blocks = chapters.flatMap((name) => {
    const html = new TextDecoder().decode(parts.get(name))
    progress()
    return blocksOf([{ html: html.slice(Math.max(0, html.search(/<body[\s>]/i))) }], { ...file, url: '' })
  })
  return { blocks, warnings: [] }
}

function spineOf(parts: ArchiveParts): string[] {
  const container = new TextDecoder().decode(parts.get('META-INF/container.xml'))
  const packagePath = /full-path\s*=\s*["']([^"']{1,1000})["']/.exec(container)?.[1] ?? ''
  const opf = new TextDecoder().decode(parts.get(packagePath))
  const items = new Map<string, string>()
  for (const [tag] of opf.matchAll(/<(?:\w+:)?item\s[^<>]{1,4000}>/g)) {
    const id = attribute(tag, 'id')
    const href = attribute(tag, 'href')
    const path = href.replace(/#.*/s, '')
    if (id && path) items.set(id, posix.join(posix.dirname(packagePath), decodeURIComponentSafely(path)))
  }
  const order = [...opf.matchAll(/<(?:\w+:)?itemref\s[^<>]{1,4000}>/g)].map(
    ([tag]) => items.get(attribute(tag, 'idref')) ?? '',
  )
  // Some books list the sections of a page one by one.
  return [...new Set(order)].filter((name) => parts.has(name))
}

function attribute(tag: string, name: string): string {
  const value = new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1] ?? ''
  const pieces: string[] = []
  readMarkup(value, { open: () => {}, close: () => {}, text: (data) => pieces.push(data) })
  return pieces.join('')
}

function decodeURIComponentSafely(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
