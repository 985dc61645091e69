import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  loadSession,
  loadTokenizer,
  poolTokens,
  runSession,
  tokenize,
} from '../../src/pipeline/embed/inference.ts'
import { defaultModelName, findModel } from '../../src/pipeline/embed/model.ts'
import { type RankScores, rankOf, rankScores } from './ranks.ts'

/** The tokens of a chunk that are embedded. */
type Variant = { name: string; tokensOf(text: string): number[] }
/** `questions` are sentences of the text; `rest` is the text without the sentence. */
type Passage = { text: string; questions: { question: string; rest: string }[] }
/** The vectors of whole chunks, and of each chunk without each of its questions. */
type Made = { whole: Float32Array[]; rests: Float32Array[][]; tokens: number; cpuSeconds: number }

export type TokenScores = RankScores & {
  questions: number
  tokens_per_chunk: number
  /** Against the whole chunk, in processor time. */
  speed: number
}

/** Words that carry little meaning alone; all are one token. */
const FUNCTION_WORDS =
  'a an the of to in on at by for with from as and or but if so than that this these those it its is are was were be been has have had do does did not no can may will would which who when where their there they he she we you your our'.split(
    ' ',
  )
const CHUNK_CHARACTERS = 1_000
const QUESTIONS_PER_CHUNK = 4
const MIN_WORDS = 6

/**
 * Whether fewer tokens of a chunk find it as well. The chunks are the documentation of this repository, near the
 * length limit of the default chunker. Questions are sentences that are taken out of their chunk.
 */
export async function measureFewerTokens(): Promise<Record<string, TokenScores>> {
  const model = findModel(defaultModelName)
  const tokenizer = await loadTokenizer(model)
  const session = await loadSession(model)
  const functionWords = new Set(FUNCTION_WORDS.map((word) => tokenizer.encode(word).ids[1]!))
  const tokensOf = (text: string, maxTokens = model.maxTokens) =>
    tokenize(tokenizer, text, { ...model, maxTokens })
  const embed = async (ids: number[]) => poolTokens(await runSession(session, ids), ids.length)
  const variants: Variant[] = [
    { name: 'all tokens', tokensOf },
    { name: 'the first 192', tokensOf: (text) => tokensOf(text, 192) },
    { name: 'the first 128', tokensOf: (text) => tokensOf(text, 128) },
    { name: 'the first 64', tokensOf: (text) => tokensOf(text, 64) },
    {
      name: 'without function words',
      tokensOf: (text) => tokensOf(text).filter((id) => !functionWords.has(id)),
    },
  ]
  const passages = await readPassages()
  const made = variants.map((): Made => ({ whole: [], rests: [], tokens: 0, cpuSeconds: 0 }))
  await embed(tokensOf('warm up'))
  for (const { text, questions } of passages) {
    for (const [at, variant] of variants.entries()) {
      const own = made[at]!
      const ids = variant.tokensOf(text)
      const before = process.cpuUsage()
      own.whole.push(await embed(ids))
      const { user, system } = process.cpuUsage(before)
      own.tokens += ids.length
      own.cpuSeconds += (user + system) / 1e6
      const rests: Float32Array[] = []
      for (const { rest } of questions) rests.push(await embed(variant.tokensOf(rest)))
      own.rests.push(rests)
    }
  }
  const questions: Float32Array[][] = []
  for (const passage of passages) {
    const vectors: Float32Array[] = []
    for (const { question } of passage.questions) vectors.push(await embed(tokensOf(question)))
    questions.push(vectors)
  }
  return Object.fromEntries(variants.map(({ name }, at) => [name, scoresOf(made[at]!, made[0]!, questions)]))
}

function scoresOf(made: Made, all: Made, questions: Float32Array[][]): TokenScores {
  const ranks = questions.flatMap((ofChunk, chunk) =>
    ofChunk.map((question, at) => {
      const near = made.whole.map((vector, other) => ({
        record_id: String(other),
        score: dot(other === chunk ? made.rests[chunk]![at]! : vector, question),
      }))
      return rankOf(String(chunk), near.sort((one, other) => other.score - one.score).slice(0, 10))
    }),
  )
  return {
    ...rankScores(ranks),
    questions: ranks.length,
    tokens_per_chunk: Math.round(made.tokens / made.whole.length),
    speed: Number((all.cpuSeconds / made.cpuSeconds).toFixed(2)),
  }
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * other[at]!, 0)
}

async function readPassages(): Promise<Passage[]> {
  const root = join(import.meta.dirname, '../..')
  const names = (
    await Array.fromAsync(glob('{README.md,CONTRIBUTING.md,docs/**/*.md}', { cwd: root }))
  ).sort()
  const passages: Passage[] = []
  for (const name of names) {
    for (const chunk of chunksOf(await readFile(join(root, name), 'utf8'))) {
      const sentences = chunk.split(/(?<=[.!?:])\s+/)
      const candidates = sentences.filter((sentence) => sentence.split(/\s+/).length >= MIN_WORDS)
      if (candidates.length < QUESTIONS_PER_CHUNK) continue
      const questions = spread(candidates, QUESTIONS_PER_CHUNK).map((question) => ({
        question,
        rest: sentences.filter((sentence) => sentence !== question).join(' '),
      }))
      passages.push({ text: chunk, questions })
    }
  }
  return passages
}

/** From the first to the last, at equal distances. */
function spread<T>(items: T[], count: number): T[] {
  return Array.from({ length: count }, (_, at) => items[Math.round((at * (items.length - 1)) / (count - 1))]!)
}

/** Paragraphs of prose, joined up to the limit. */
function chunksOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/^\|.*$/gm, '')
  const chunks: string[] = []
  let chunk = ''
  for (const paragraph of prose.split(/\n+/)) {
    if (chunk.length + paragraph.length > CHUNK_CHARACTERS && chunk !== '') {
      chunks.push(chunk)
      chunk = ''
    }
    chunk += `${chunk === '' ? '' : '\n'}${paragraph.trim()}`
  }
  return [...chunks, chunk].filter((each) => each.length >= CHUNK_CHARACTERS / 2)
}
