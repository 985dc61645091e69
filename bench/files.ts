import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { parseArgs } from 'node:util'
import { detectFiletype } from '../src/filetype/filetype.ts'
import { defaultNodes, plan } from '../src/pipeline/nodes.ts'
import { createRunnerFactory } from '../src/pipeline/runner-factory.ts'
import { openBrowser } from '../test/world/browser.ts'
import { pythonOf } from './peers/environments.ts'
import { type DebianFile, debianFiles, toolVersions } from './quality/debian.ts'
import { writeFilesTable } from './quality/debian-page.ts'
import { independentTruth } from './quality/debian-truth.ts'
import {
  type ExpectedDocument,
  meanScores,
  type ReadElement,
  type Scores,
  score,
} from './quality/expected.ts'
import { readOne, readWithPeer } from './quality/readers.ts'
import { machine, saveResult } from './results.ts'

/**
 * `npm run bench:files`: what Millrace, `unstructured` and `docling` read from files of Debian packages, compared with
 * what a browser, LibreOffice and pdftotext find in them.
 */
const { values } = parseArgs({
  options: {
    /** Reads only files whose path contains this text. */
    only: { type: 'string', default: '' },
    'without-peers': { type: 'boolean', default: false },
    'print-only': { type: 'boolean', default: false },
  },
})
type Tool = { note: string; made: (ReadElement[] | null)[]; failed: Record<string, string> }
type Mean = { read: number; of: number; scores: Scores }
export type FilesResult = {
  date: string
  machine: object
  programs: string[]
  notes: Record<string, string>
  packages: Record<string, string>
  /** By format and tool: how many files it read, of how many. */
  formats: Record<string, Record<string, Mean>>
  each: Record<string, Record<string, Scores | string>>
}

const { signal } = new AbortController()
const files = (await debianFiles()).filter(({ source }) => source.includes(values.only))
const documents = await expectedDocuments(files)
const tools: Record<string, Tool> = {
  millrace: await readWithStrategy('auto'),
  'millrace, hi_res': await readWithStrategy('hi_res'),
}
if (!values['without-peers']) {
  const python = await pythonOf('readers')
  for (const library of ['unstructured', 'docling'] as const) {
    const read = await readWithPeer(python, library, documents)
    if (typeof read === 'string') throw new Error(read)
    tools[library] = { ...read, note: [read.version, read.note].join(', ') }
  }
}
const result = await compare()
console.log(JSON.stringify(result, null, 2))
if (!values['print-only']) {
  await saveResult('files.jsonl', result)
  await writeFilesTable(result)
}
process.exit()

async function expectedDocuments(all: DebianFile[]): Promise<ExpectedDocument[]> {
  const browser = await openBrowser('http://127.0.0.1')
  try {
    const tab = await browser.page()
    const found: ExpectedDocument[] = []
    for (const file of all) {
      const { path, package: name } = file
      const bytes = await readFile(path)
      const filetype = await detectFiletype(bytes, basename(path), true)
      const truth = await independentTruth(tab, file)
      found.push({ name: `${name}/${basename(path)}`, path, bytes, filetype, truth })
    }
    return found
  } finally {
    await browser.abandon()
  }
}

async function readWithStrategy(strategy: 'auto' | 'hi_res'): Promise<Tool> {
  const runners = createRunnerFactory()
  const { partition } = plan(defaultNodes())
  const runner = await runners.create({ partition: { ...partition, strategy }, chunk: null, embed: null })
  const tool: Tool = { note: '', made: [], failed: {} }
  try {
    for (const document of documents) {
      const isPdf = document.filetype === 'application/pdf'
      const made = strategy === 'auto' || isPdf ? await readOne(runner, document, signal).catch(String) : null
      if (typeof made === 'string') tool.failed[document.name] = made
      tool.made.push(typeof made === 'string' ? null : made)
    }
  } finally {
    await runners.close()
  }
  return tool
}

async function compare(): Promise<FilesResult> {
  const each = Object.fromEntries(documents.map((document, at) => [document.name, scoresOf(document, at)]))
  return {
    date: new Date().toISOString(),
    machine: machine(),
    programs: await toolVersions(),
    notes: Object.fromEntries(Object.entries(tools).map(([name, { note }]) => [name, note])),
    packages: Object.fromEntries(files.map(({ package: name, version }) => [name, version])),
    formats: Object.fromEntries(
      [...new Set(documents.map(({ path }) => extname(path)))].map((format) => {
        const rows = documents.filter(({ path }) => extname(path) === format).map(({ name }) => each[name]!)
        return [format.slice(1), meansByTool(rows)]
      }),
    ),
    each,
  }
}

function scoresOf(document: ExpectedDocument, at: number): Record<string, Scores | string> {
  return Object.fromEntries(
    Object.entries(tools).flatMap(([tool, { made, failed }]) => {
      const result = made[at] ? score(made[at], document) : failed[document.name]
      return result === undefined ? [] : [[tool, result]]
    }),
  )
}

function meansByTool(rows: Record<string, Scores | string>[]): Record<string, Mean> {
  const names = Object.keys(tools).filter((tool) => rows.some((row) => tool in row))
  return Object.fromEntries(
    names.map((tool) => {
      const scores = rows.flatMap((row) => (typeof row[tool] === 'object' ? [row[tool]] : []))
      return [tool, { read: scores.length, of: rows.length, scores: meanScores(scores) }]
    }),
  )
}
