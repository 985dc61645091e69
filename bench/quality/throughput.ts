import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { detectFiletype } from '../../src/filetype/filetype.ts'
import { packArchive, unpack } from '../../src/pipeline/partition/files/archive.ts'
import type { Runner } from '../../src/pipeline/runner.ts'
import { openBrowser } from '../../test/world/browser.ts'
import { samplePages } from '../../test/world/sample/pages.ts'
import type { ExpectedDocument } from './expected.ts'
import { readOne, timePeer } from './readers.ts'

export type Throughput = {
  kilobytes: number
  ours_mb_per_second: number
  unstructured_mb_per_second: number | string
  times_as_fast: number | null
}

/** Median MB/s of a long PDF and DOCX, ours and the Python library's. */
export async function measureThroughput(
  { runner, python, rounds }: { runner: Runner; python: string; rounds: number },
  signal: AbortSignal,
): Promise<{ pdf: Throughput; docx: Throughput }> {
  const folder = await mkdtemp(join(tmpdir(), 'quality-'))
  const measure = async (name: string, bytes: Buffer): Promise<Throughput> => {
    const path = join(folder, name)
    await writeFile(path, bytes)
    const document = await asDocument(path, bytes)
    await readOne(runner, document, signal)
    const ours: number[] = []
    for (let round = 0; round < rounds; round++) {
      const started = performance.now()
      await readOne(runner, document, signal)
      ours.push((performance.now() - started) / 1000)
    }
    const theirs = await timePeer(python, path, rounds)
    const rate = (seconds: number[]) => Number((bytes.length / 1e6 / median(seconds)).toFixed(3))
    return {
      kilobytes: Math.round(bytes.length / 1000),
      ours_mb_per_second: rate(ours),
      unstructured_mb_per_second: typeof theirs === 'string' ? theirs : rate(theirs),
      times_as_fast: typeof theirs === 'string' ? null : Number((median(theirs) / median(ours)).toFixed(1)),
    }
  }
  try {
    return {
      pdf: await measure('pages.pdf', await printedPages()),
      docx: await measure('handbook.docx', await longHandbook(50)),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function asDocument(path: string, bytes: Buffer): Promise<ExpectedDocument> {
  const name = basename(path)
  const truth = { words: [], may: [], headings: null, tables: [] }
  return { name, path, bytes, filetype: await detectFiletype(bytes, name, true), truth }
}

/** The sample wiki as printed by a browser. */
async function printedPages(): Promise<Buffer> {
  const browser = await openBrowser('http://127.0.0.1')
  try {
    const tab = await browser.page()
    const pages = samplePages.map(({ title, body }) => `<h1>${title}</h1>${body}`)
    const sheet = 'table, td, th { border: 1px solid; border-collapse: collapse }'
    await tab.setContent(`<!doctype html><style>${sheet}</style>${pages.join('')}`)
    return await tab.pdf({ format: 'A4' })
  } finally {
    await browser.abandon()
  }
}

/** The handbook repeated and uncompressed, so that its size equals the bytes read. */
async function longHandbook(times: number): Promise<Buffer> {
  const filename = 'handbook.docx'
  const path = join(import.meta.dirname, '../../test/fixtures/files', filename)
  const parts = unpack({ bytes: await readFile(path), filename }, () => true)
  const document = Buffer.from(parts.get('word/document.xml') ?? '').toString()
  const [, head = '', body = '', tail = ''] = /^(.*<w:body>)(.*)(<w:sectPr>.*)$/s.exec(document) ?? []
  parts.set('word/document.xml', Buffer.from(head + body.repeat(times) + tail))
  return packArchive(parts)
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
