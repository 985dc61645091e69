import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { detectFiletype } from '../../src/filetype/filetype.ts'
import { openBrowser } from '../../test/world/browser.ts'
import { openPages, readAsPerson } from '../../test/world/read-as-person.ts'
import { type Heading, headingAgreement } from './headings.ts'
import { tablesAgreement } from './tables.ts'
import { overlap, readingOrder, wordsOf } from './words.ts'

/** What a person sees in a document, written down from its source: not by anything that is measured with it. */
type Truth = {
  note?: string
  files: string[]
  /** In the order of reading; of a page, a browser says it. */
  text?: string
  may?: string
  /** Null where the format knows none. */
  headings: Heading[] | null
  tables: string[]
}
export type Held = {
  name: string
  path: string
  bytes: Buffer
  filetype: string
  truth: { words: string[]; may: string[]; headings: Heading[] | null; tables: string[] }
}

/** An element as any of the readers makes it; `depth` null where it says none. */
export type Made = { type: string; text: string; depth: number | null; html: string | null }

export type Scores = {
  recall: number
  precision: number
  order: number
  headings: number | null
  /** Null where there is no table and none was found. */
  tables: number | null
}

const root = join(import.meta.dirname, '../..')

export async function heldPages(): Promise<Held[]> {
  const pages = await held('pages.json')
  const browser = await openBrowser('http://127.0.0.1')
  try {
    const tab = await browser.page()
    await openPages(tab)
    const shown = await readAsPerson(
      tab,
      pages.map(({ bytes }) => bytes.toString()),
    )
    return pages.map((page, at) => {
      const { text = '', pictures = [] } = shown[at] ?? {}
      const seen = { words: wordsOf(text), may: wordsOf(pictures.join(' ')) }
      // A wiki says what its pages are.
      return { ...page, filetype: 'text/html', truth: { ...page.truth, ...seen } }
    })
  } finally {
    await browser.abandon()
  }
}

export function heldFiles(): Promise<Held[]> {
  return held('files.json')
}

async function held(name: string): Promise<Held[]> {
  const json = await readFile(join(import.meta.dirname, 'truth', name), 'utf8')
  const all = (JSON.parse(json) as Truth[]).flatMap(({ files, ...truth }) =>
    files.map(async (file): Promise<Held> => {
      const path = join(root, file)
      const bytes = await readFile(path)
      const { text = '', may = '', headings, tables } = truth
      return {
        name: basename(file),
        path,
        bytes,
        filetype: await detectFiletype(bytes, basename(file), true),
        truth: { words: wordsOf(text), may: wordsOf(may), headings, tables },
      }
    }),
  )
  return Promise.all(all)
}

/** What one reader made of one document, held against what a person sees in it. */
export function score(made: Made[], { truth }: Held): Scores {
  // What is told of a picture is no text that a person sees.
  const words = wordsOf(made.flatMap(({ type, text }) => (type === 'Image' ? [] : [text])).join('\n'))
  const { recall, precision } = overlap(words, truth.words, truth.may)
  const headings = made.flatMap(({ type, text, depth }): Heading[] =>
    type === 'Title' ? [[depth ?? 0, text]] : [],
  )
  const tables = made.flatMap(({ type, html }) => (type === 'Table' ? [html ?? ''] : []))
  return {
    recall,
    precision,
    order: readingOrder(words, truth.words),
    headings: truth.headings && headingAgreement(headings, truth.headings),
    tables: tables.length + truth.tables.length === 0 ? null : tablesAgreement(tables, truth.tables),
  }
}

/** Of each score the mean over the documents that have it. */
export function meanScores(scores: Scores[]): Scores {
  const mean = (pick: (each: Scores) => number | null) => {
    const values = scores.map(pick).filter((value) => value !== null)
    if (values.length === 0) return null
    return Number((values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(4))
  }
  return {
    recall: mean(({ recall }) => recall) ?? 0,
    precision: mean(({ precision }) => precision) ?? 0,
    order: mean(({ order }) => order) ?? 0,
    headings: mean(({ headings }) => headings),
    tables: mean(({ tables }) => tables),
  }
}
