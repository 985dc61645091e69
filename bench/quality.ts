import { parseArgs } from 'node:util'
import { defaultNodes, plan } from '../src/pipeline/nodes.ts'
import type { Runner } from '../src/pipeline/runner.ts'
import { createRunnerFactory } from '../src/pipeline/runner-factory.ts'
import { openCorpus } from './quality/corpus.ts'
import { measureModels } from './quality/embedding-models.ts'
import { elasticsearchIndex, openSearchIndex, postgresTable } from './quality/engines.ts'
import {
  type ExpectedDocument,
  expectedFiles,
  expectedPages,
  meanScores,
  type ReadElement,
  score,
} from './quality/expected.ts'
import { measureFewerTokens } from './quality/fewer-tokens.ts'
import { readLanguageTexts } from './quality/language-texts.ts'
import { measureLanguages } from './quality/languages.ts'
import { type ReaderOutput, readWithOurs, readWithPeer } from './quality/readers.ts'
import { measureRetrieval } from './quality/retrieval.ts'
import { measureThroughput } from './quality/throughput.ts'
import { typeAgreement } from './quality/types.ts'
import { machine, saveResult } from './results.ts'

/**
 * `npm run bench:quality`: compares elements with expected content, next to Python's `unstructured` and `docling`.
 * Also measures search in the index and in PostgreSQL, with all permissions and with fewer.
 */
const { values } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    rounds: { type: 'string', default: '5' },
    'without-search': { type: 'boolean', default: false },
    'only-search': { type: 'boolean', default: false },
    /** Compares embedding models only, with exact distances and no search engine. */
    'only-models': { type: 'boolean', default: false },
    /** Compares embedding fewer tokens of a chunk. */
    'only-tokens': { type: 'boolean', default: false },
    /** A folder with one folder of Markdown files per language: measures search in these languages only. */
    'only-languages': { type: 'string' },
  },
})
const { signal } = new AbortController()
const runners = createRunnerFactory()
const { partition } = plan(defaultNodes())
const auto = await runners.create({ partition, chunk: null, embed: null })
const hiRes = await runners.create({
  partition: { ...partition, strategy: 'hi_res' },
  chunk: null,
  embed: null,
})

const result: Record<string, unknown> = { date: new Date().toISOString(), machine: machine() }
try {
  const onlyModels = values['only-models']
  const onlyTokens = values['only-tokens']
  const languages = values['only-languages']
  if (!values['only-search'] && !onlyModels && !onlyTokens && !languages) await measureReaders()
  if (languages) result.languages = await measureSearchByLanguage(languages)
  else if (onlyTokens) result.tokens = await measureFewerTokens()
  else if (onlyModels) result.models = await measureModels(await openCorpus(runners, signal))
  else if (!values['without-search']) result.retrieval = await measureSearch()
} finally {
  await runners.close()
}
console.log(JSON.stringify(result, null, 2))
await saveResult('quality.jsonl', result)
process.exit()

async function measureReaders(): Promise<void> {
  result.pages = await measureReading(await expectedPages())
  const files = await expectedFiles()
  result.files = await measureReading(files)
  result.pdf_hi_res = await scoresOf(
    hiRes,
    files.filter(({ filetype }) => filetype === 'application/pdf'),
  )
  const pace = { runner: auto, python: values.python, rounds: Number(values.rounds) }
  result.pace = await measureThroughput(pace, signal)
}

/** Ours over all documents; a peer over those it could read. */
async function measureReading(documents: ExpectedDocument[]): Promise<object> {
  const ours = await readWithOurs(auto, documents, signal)
  const peers: Record<string, object | string> = {}
  for (const library of ['unstructured', 'docling'] as const) {
    const read = await readWithPeer(values.python, library, documents)
    if (typeof read === 'string') peers[library] = read
    // Types are compared only between readers with the same type names.
    else
      peers[library] = {
        ...comparison(read, documents, ours),
        ...(library === 'unstructured' ? typesOf(read, ours) : {}),
      }
  }
  const each = documents.map((document, at) => [document.name, toRow(score(ours[at]!, document))])
  return {
    documents: documents.length,
    ours: meanScores(documents.map((document, at) => score(ours[at]!, document))),
    each: Object.fromEntries(each),
    ...peers,
  }
}

function comparison(
  { version, note, made, failed }: ReaderOutput,
  documents: ExpectedDocument[],
  ours: ReadElement[][],
): object {
  const both = documents.flatMap((document, at) => {
    const theirs = made[at]
    return theirs ? [{ document, theirs, ours: ours[at]! }] : []
  })
  return {
    version,
    ...(note ? { note } : {}),
    documents: both.length,
    theirs: meanScores(both.map(({ document, theirs }) => score(theirs, document))),
    ours_on_the_same: meanScores(both.map((each) => score(each.ours, each.document))),
    each: Object.fromEntries(
      both.map(({ document, theirs }) => [document.name, toRow(score(theirs, document))]),
    ),
    failed,
  }
}

function typesOf({ made }: ReaderOutput, ours: ReadElement[][]): object {
  const read = made.map((theirs, at) => ({ theirs: theirs ?? [], ours: theirs ? ours[at]! : [] }))
  return typeAgreement(
    read.map((each) => each.ours),
    read.map(({ theirs }) => theirs),
  )
}

async function scoresOf(runner: Runner, documents: ExpectedDocument[]): Promise<object> {
  const made = await readWithOurs(runner, documents, signal)
  return meanScores(documents.map((document, at) => score(made[at]!, document)))
}

/** Recall, precision, order, headings, tables. */
function toRow(scores: ReturnType<typeof score>): (number | null)[] {
  const { recall, precision, order, headings, tables } = scores
  return [recall, precision, order, headings, tables].map((value) => value && Number(value.toFixed(3)))
}

async function measureSearch(): Promise<object> {
  const corpus = await openCorpus(runners, signal)
  const retrieval = await measureRetrieval(corpus, elasticsearchIndex, signal)
  return {
    ...retrieval,
    postgres: await measureRetrieval(corpus, postgresTable, signal),
    models: await measureModels(corpus),
  }
}

async function measureSearchByLanguage(folder: string): Promise<object> {
  const texts = await readLanguageTexts(folder, auto, signal)
  const { embedder } = await runners.create(plan(defaultNodes()))
  const engines = { elasticsearch: elasticsearchIndex, opensearch: openSearchIndex, postgres: postgresTable }
  return measureLanguages(texts, { embedder: embedder!, engines }, signal)
}
