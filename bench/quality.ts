import { parseArgs } from 'node:util'
import { defaultNodes, plan } from '../src/pipeline/nodes.ts'
import type { Runner } from '../src/pipeline/runner.ts'
import { createRunnerFactory } from '../src/pipeline/runner-factory.ts'
import { openCorpus } from './quality/corpus.ts'
import { measureFullPrecision } from './quality/full-precision.ts'
import { type Held, heldFiles, heldPages, type Made, meanScores, score } from './quality/held.ts'
import { type Read, readWithOurs, readWithPeer } from './quality/readers.ts'
import { measureRetrieval } from './quality/retrieval.ts'
import { measurePace } from './quality/throughput.ts'
import { typeAgreement } from './quality/types.ts'
import { keep, machine } from './results.ts'

/**
 * `npm run bench:quality`: how much of what a person sees in a held set of pages and files is in the elements, in
 * which order, under which headings and in which tables, beside Python's `unstructured` and `docling` where
 * `--python` has them; and how well planted questions find their pages by words, by meaning and by both, as
 * somebody who may see everything and as people who may not. Nothing leaves the machine.
 */
const { values } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    rounds: { type: 'string', default: '5' },
    /** A folder with the unquantised `model.onnx` of the local embedder. */
    'full-precision': { type: 'string' },
    'without-search': { type: 'boolean', default: false },
  },
})
const { signal } = new AbortController()
const runners = createRunnerFactory()
const { partition } = plan(defaultNodes())
const auto = await runners.create({ partition, chunk: null, embed: null })
const thorough = await runners.create({
  partition: { ...partition, strategy: 'hi_res' },
  chunk: null,
  embed: null,
})

const result: Record<string, unknown> = { date: new Date().toISOString(), machine: machine() }
try {
  result.pages = await measureReading(await heldPages())
  const files = await heldFiles()
  result.files = await measureReading(files)
  result.pdf_hi_res = await scoresOf(
    thorough,
    files.filter(({ filetype }) => filetype === 'application/pdf'),
  )
  const pace = { bench: auto, python: values.python, rounds: Number(values.rounds) }
  result.pace = await measurePace(pace, signal)
  if (!values['without-search']) result.retrieval = await measureSearch()
} finally {
  await runners.close()
}
console.log(JSON.stringify(result, null, 2))
await keep('quality.jsonl', result)
process.exit()

/** Ours over all documents; a peer over those that it could read, beside ours over the same. */
async function measureReading(documents: Held[]): Promise<object> {
  const ours = await readWithOurs(auto, documents, signal)
  const peers: Record<string, object | string> = {}
  for (const library of ['unstructured', 'docling'] as const) {
    const read = await readWithPeer(values.python, library, documents)
    if (typeof read === 'string') peers[library] = read
    // Types are called alike only where they have the same names to begin with.
    else
      peers[library] = {
        ...beside(read, documents, ours),
        ...(library === 'unstructured' ? typesOf(read, ours) : {}),
      }
  }
  const each = documents.map((document, at) => [document.name, shortly(score(ours[at]!, document))])
  return {
    documents: documents.length,
    ours: meanScores(documents.map((document, at) => score(ours[at]!, document))),
    each: Object.fromEntries(each),
    ...peers,
  }
}

function beside({ version, note, made, failed }: Read, documents: Held[], ours: Made[][]): object {
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
      both.map(({ document, theirs }) => [document.name, shortly(score(theirs, document))]),
    ),
    failed,
  }
}

function typesOf({ made }: Read, ours: Made[][]): object {
  const read = made.map((theirs, at) => ({ theirs: theirs ?? [], ours: theirs ? ours[at]! : [] }))
  return typeAgreement(
    read.map((each) => each.ours),
    read.map(({ theirs }) => theirs),
  )
}

async function scoresOf(bench: Runner, documents: Held[]): Promise<object> {
  const made = await readWithOurs(bench, documents, signal)
  return meanScores(documents.map((document, at) => score(made[at]!, document)))
}

/** Recall, precision, order, headings, tables. */
function shortly(scores: ReturnType<typeof score>): (number | null)[] {
  const { recall, precision, order, headings, tables } = scores
  return [recall, precision, order, headings, tables].map((value) => value && Number(value.toFixed(3)))
}

async function measureSearch(): Promise<object> {
  const corpus = await openCorpus(runners, signal)
  const retrieval = await measureRetrieval(corpus, signal)
  const folder = values['full-precision']
  return {
    ...retrieval,
    full_precision: folder
      ? await measureFullPrecision(folder, corpus)
      : 'not measured: the project carries the 8-bit weights only; --full-precision names a folder with the others',
  }
}
