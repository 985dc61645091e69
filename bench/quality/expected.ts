import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { detectFiletype } from '../../src/filetype/filetype.ts'
import { openBrowser } from '../../test/world/browser.ts'
import { preparePage, readVisibleText } from '../../test/world/read-as-person.ts'
import { type Heading, headingAgreement } from './headings.ts'
import { tablesAgreement } from './tables.ts'
import { overlap, readingOrder, wordsOf } from './words.ts'

/** The expected content of a document, written by hand from its source. */
type Truth = {
  note?: string
  files: string[]
  /** In reading order; for a page, from a browser. */
  text?: string
  may?: string
  /** Null if the format has none. */
  headings: Heading[] | null
  tables: string[]
}
export type ExpectedDocument = {
  name: string
  path: string
  bytes: Buffer
  filetype: string
  /** Headings and tables are null if they cannot be compared. */
  truth: { words: string[]; may: string[]; headings: Heading[] | null; tables: string[] | null }
}

/** An element of any reader; `depth` is null if it has none. */
export type ReadElement = { type: string; text: string; depth: number | null; html: string | null }

export type Scores = {
  recall: number
  precision: number
  order: number
  headings: number | null
  /** Null if no table is expected and none was found. */
  tables: number | null
}

const root = join(import.meta.dirname, '../..')

export async function expectedPages(): Promise<ExpectedDocument[]> {
  const pages = await readExpected('pages.json')
  const browser = await openBrowser('http://127.0.0.1')
  try {
    const tab = await browser.page()
    await preparePage(tab)
    const shown = await readVisibleText(
      tab,
      pages.map(({ bytes }) => bytes.toString()),
    )
    return pages.map((page, at) => {
      const { text = '', pictures = [] } = shown[at] ?? {}
      const seen = { words: wordsOf(text), may: wordsOf(pictures.join(' ')) }
      // The wiki declares the type of its pages.
      return { ...page, filetype: 'text/html', truth: { ...page.truth, ...seen } }
    })
  } finally {
    await browser.abandon()
  }
}

export function expectedFiles(): Promise<ExpectedDocument[]> {
  return readExpected('files.json')
}

async function readExpected(name: string): Promise<ExpectedDocument[]> {
  const json = await readFile(join(import.meta.dirname, 'truth', name), 'utf8')
  const all = (JSON.parse(json) as Truth[]).flatMap(({ files, ...truth }) =>
    files.map(async (file): Promise<ExpectedDocument> => {
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

/** Compares one reader's elements of a document with the expected content. */
export function score(made: ReadElement[], { truth }: ExpectedDocument): Scores {
  // The description of a picture is not visible text.
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
    tables:
      truth.tables && tables.length + truth.tables.length > 0 ? tablesAgreement(tables, truth.tables) : null,
  }
}

/** The mean of each score over the documents that have it. */
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
