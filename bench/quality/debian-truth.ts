import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { DomUtils, parseDocument } from 'htmlparser2'
import type { Page } from 'playwright-core'
import { convert, type DebianFile, pdfText } from './debian.ts'
import type { ExpectedDocument } from './expected.ts'
import type { Heading } from './headings.ts'
import { counts, take, wordsOf } from './words.ts'

type Truth = ExpectedDocument['truth']

/**
 * What independent programs find in a file: a browser in pages and books, LibreOffice and a browser in office files,
 * pdftotext in slides. The words and order of a PDF are those of the same text in another format, as far as pdftotext
 * finds them.
 */
export async function independentTruth(tab: Page, file: Pick<DebianFile, 'path' | 'of'>): Promise<Truth> {
  const folder = await mkdtemp(join(tmpdir(), 'truth-'))
  try {
    return await truthOf(tab, { ...file, folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function truthOf(
  tab: Page,
  { path, of, folder }: { path: string; of?: string; folder: string },
): Promise<Truth> {
  const format = extname(path)
  if (format === '.html') return pagesTruth(tab, [path])
  if (format === '.epub') return pagesTruth(tab, await chapters(path, folder))
  if (['.pptx', '.ppt', '.odp'].includes(format)) {
    const shown = await pdfText(await convert({ path, folder }, 'pdf'))
    await extract(format === '.odp' ? path : await convert({ path, folder }, 'odp'), folder)
    const notes = notesText(await readFile(join(folder, 'content.xml'), 'utf8'))
    return { words: slideWords(shown), may: wordsOf(shown + notes), headings: null, tables: null }
  }
  if (of !== undefined) return pdfTruth(path, await truthOf(tab, { path: of, folder }))
  const truth = await pagesTruth(tab, [await convert({ path, folder }, 'html')])
  return ['.xlsx', '.xls', '.ods'].includes(format) ? { ...truth, headings: null } : truth
}

/** From the presentation itself, because a printed page of notes ends where the paper does. */
function notesText(xml: string): string {
  const notes = DomUtils.getElementsByTagName('presentation:notes', parseDocument(xml, { xmlMode: true }))
  const paragraphs = notes.flatMap((page) => DomUtils.getElementsByTagName('text:p', page))
  return paragraphs.map((paragraph) => `\n${spacedText(paragraph)}`).join('')
}

function spacedText(node: ReturnType<typeof parseDocument>['children'][number]): string {
  if (node.type === 'text') return node.data
  if (!('children' in node)) return ''
  return ['text:s', 'text:tab', 'text:line-break'].includes('name' in node ? node.name : '')
    ? ' '
    : node.children.map(spacedText).join('')
}

async function pdfTruth(path: string, twin: Truth): Promise<Truth> {
  const text = await pdfText(path)
  const raw = wordsOf(text)
  const joined = wordsOf(text.replace(/(\p{L})[-\u2010]\n(\p{L})/gu, '$1$2'))
  const left = counts(joined)
  const words = twin.words.filter((word) => take(left, word))
  const rest = [...left].flatMap(([word, count]) => Array<string>(count).fill(word))
  return { ...twin, words, may: [...rest, ...raw] }
}

/** Without bullets, and without the lines that half of the slides repeat. */
function slideWords(text: string): string[] {
  const slides = text
    .split('\f')
    .map((slide) => slide.split('\n').map((line) => line.trim().replace(/^[^\p{L}\p{N}] +/u, '')))
  const repeats = counts(slides.flatMap((lines) => [...new Set(lines)]))
  const lines = slides
    .flat()
    .filter((line) => slides.length < 4 || (repeats.get(line) ?? 0) < slides.length / 2)
  return wordsOf(lines.join('\n'))
}

/** As a browser shows them, with their own style sheets and without scripts. */
async function pagesTruth(tab: Page, paths: string[]): Promise<Truth> {
  const truth = {
    words: [] as string[],
    may: [] as string[],
    headings: [] as Heading[],
    tables: [] as string[],
  }
  const session = await tab.context().newCDPSession(tab)
  await session.send('Emulation.setScriptExecutionDisabled', { value: true })
  for (const path of paths) {
    await tab.goto(pathToFileURL(path).href, { waitUntil: 'load' })
    const shown = await shownContent(tab)
    truth.words.push(...wordsOf(shown.text))
    truth.may.push(...wordsOf(shown.may))
    truth.headings.push(...shown.headings)
    truth.tables.push(...shown.tables)
  }
  return truth
}

/** The numbers of lists, running heads and the names of sheets are optional. */
function shownContent(
  tab: Page,
): Promise<{ text: string; may: string; headings: Heading[]; tables: string[] }> {
  return tab.locator('body').evaluate((body) => {
    const each = (selector: string) => [...body.querySelectorAll(selector)]
    const isShown = (part: typeof body) =>
      part.checkVisibility({ visibilityProperty: true }) && part.innerText.trim() !== ''
    const may: string[] = []
    const makeOptional = (selector: string) => {
      for (const part of each(selector)) {
        may.push(part.innerText)
        part.remove()
      }
    }
    for (const part of each('details')) part.setAttribute('open', '')
    const sheet = body.ownerDocument.createElement('style')
    sheet.textContent = '* { text-transform: none !important }'
    body.ownerDocument.head.append(sheet)
    makeOptional('div[title=header], div[title=footer]')
    const generator = body.ownerDocument.querySelector('meta[name=generator]')
    const isOffice = generator?.content.startsWith('LibreOffice') === true
    if (isOffice && each('colgroup[width]').length > 0)
      makeOptional('body > p, body > center, a[name^=table]')
    if (isOffice) {
      // LibreOffice writes the numbers of headings without a space.
      for (const part of each('h1, h2, h3, h4, h5, h6')) {
        const [number] = /^\s*\d+(?:\.\d+)*\.?\s*(?=\p{L})/u.exec(part.innerText) ?? []
        if (number === undefined) continue
        may.push(number)
        part.innerText = part.innerText.slice(number.length)
      }
      // Values of cells count as they are stored; their formats are optional.
      for (const cell of each('td[sdval]')) {
        may.push(cell.innerText, '00:00:00')
        const [, , format = ''] = cell.getAttribute('sdnum')?.split(';') ?? []
        const value = Number(cell.getAttribute('sdval'))
        const day = new Date(Date.UTC(1899, 11, 30) + Math.round(value * 86_400) * 1000).toISOString()
        if (value === 0 || value === 1) may.push(value === 0 ? 'FALSE' : 'TRUE')
        if (/[DYH]/.test(format.replace(/\[.*?\]/g, '')))
          cell.innerText = `${day.slice(0, 10)} ${value % 1 === 0 ? '' : day.slice(11, 16)}`
        else cell.innerText = String(value)
      }
    }
    for (const { start, children } of each('ol')) {
      may.push(...Array.from(children, (_, at) => `${start + at}.`))
    }
    return {
      text: body.innerText,
      may: may.join('\n'),
      headings: each('h1, h2, h3, h4, h5, h6')
        .filter(isShown)
        .map((part): [number, string] => [Number(part.tagName[1]), part.innerText]),
      tables: each('table')
        .filter((part) => isShown(part) && !part.parentElement.closest('table'))
        .map((part) => part.outerHTML),
    }
  })
}

/** The pages of a book in the order of its spine. */
async function chapters(book: string, folder: string): Promise<string[]> {
  await extract(book, folder)
  const read = (path: string) => readFile(join(folder, path), 'utf8')
  const opf = /full-path="([^"]+)"/.exec(await read('META-INF/container.xml'))?.[1] ?? ''
  const contents = await read(opf)
  const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
  const items = new Map(
    Array.from(contents.matchAll(/<item\s[^>]*>/g), ([tag]) => [
      attribute(tag, 'id'),
      attribute(tag, 'href'),
    ]),
  )
  const spine = Array.from(contents.matchAll(/<itemref\s[^>]*>/g), ([tag]) => {
    const href = decodeURIComponent(items.get(attribute(tag, 'idref')) ?? '')
    return join(folder, dirname(opf), href.replace(/#.*/, ''))
  })
  // Some books list the sections of one page.
  return [...new Set(spine)]
}

async function extract(archive: string, folder: string): Promise<void> {
  await promisify(execFile)('python3', ['-m', 'zipfile', '--extract', archive, folder])
}
