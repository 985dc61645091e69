import type { InferenceSession } from 'onnxruntime-node'
import { loadSession, loadTokenizer, runSession, tokenize } from '../../src/pipeline/embed/inference.ts'
import { defaultModelName, findModel } from '../../src/pipeline/embed/model.ts'
import type { Chunk, Corpus, Question } from './corpus.ts'
import { fetchWeights, type Weights } from './model-weights.ts'
import { type RankScores, rankScores } from './ranks.ts'
import { exactRank } from './retrieval.ts'

/** How the authors of a model prepare texts and pool its output. */
type Convention = { pooling: 'mean' | 'cls'; query: string; passage: string }
type Candidate = { name: string; weights: Weights | null; convention: Convention }

export type ModelScores = RankScores & {
  /** Share of the shipped model's ten nearest chunks that are also among this one's. */
  same_top_10: number
  /** Chunks of the sample wiki, one per run, on one thread. */
  per_cpu_second: number
}

const MINILM: Convention = { pooling: 'mean', query: '', passage: '' }
const BGE: Convention = {
  pooling: 'cls',
  query: 'Represent this sentence for searching relevant passages: ',
  passage: '',
}
const E5: Convention = { pooling: 'mean', query: 'query: ', passage: 'passage: ' }

const CANDIDATES: Candidate[] = [
  { name: 'all-minilm-l6-v2, 8 bits (shipped)', weights: null, convention: MINILM },
  {
    name: 'all-minilm-l6-v2, full precision',
    weights: {
      artifact: 'all-minilm-l6-v2',
      file: 'all-minilm-l6-v2',
      sha256: {
        model: 'ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4',
        tokenizer: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
      },
    },
    convention: MINILM,
  },
  {
    name: 'bge-small-en-v1.5, 8 bits',
    weights: {
      artifact: 'bge-small-en-v15-q',
      file: 'bge-small-en-v1.5-q',
      sha256: {
        model: '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
        tokenizer: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
      },
    },
    convention: BGE,
  },
  {
    name: 'e5-small-v2, 8 bits',
    weights: {
      artifact: 'e5-small-v2-q',
      file: 'e5-small-v2-q',
      sha256: {
        model: '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded',
        tokenizer: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
      },
    },
    convention: E5,
  },
]

type Vectors = { chunks: Chunk[]; questions: Question[]; cpuSeconds: number }

/** Uses exact distances, so that only the models differ. Models take turns per text, so that they share the load. */
export async function measureModels(corpus: Corpus): Promise<Record<string, ModelScores>> {
  const models = []
  for (const each of CANDIDATES) models.push({ ...each, infer: await open(each) })
  const made = models.map((): Vectors => ({ chunks: [], questions: [], cpuSeconds: 0 }))
  for (const chunk of corpus.chunks) {
    for (const [at, { infer, convention }] of models.entries()) {
      const before = process.cpuUsage()
      const embeddings = await infer(convention.passage + chunk.element.text)
      const { user, system } = process.cpuUsage(before)
      made[at]!.cpuSeconds += (user + system) / 1e6
      made[at]!.chunks.push({ ...chunk, element: { ...chunk.element, embeddings } })
    }
  }
  for (const question of corpus.questions) {
    for (const [at, { infer, convention }] of models.entries()) {
      const vector = await infer(convention.query + question.question)
      made[at]!.questions.push({ ...question, vector })
    }
  }
  const shipped = made[0]!
  return Object.fromEntries(models.map(({ name }, at) => [name, scoresOf(made[at]!, shipped)]))
}

function scoresOf(vectors: Vectors, shipped: Vectors): ModelScores {
  const { chunks, questions, cpuSeconds } = vectors
  const shares = questions.map((question, at) => {
    const near = new Set(nearest(question, chunks))
    return nearest(shipped.questions[at]!, shipped.chunks).filter((index) => near.has(index)).length / 10
  })
  return {
    ...rankScores(questions.map((question) => exactRank(question, chunks))),
    same_top_10: Number((shares.reduce((sum, share) => sum + share, 0) / shares.length).toFixed(3)),
    per_cpu_second: Number((chunks.length / cpuSeconds).toFixed(1)),
  }
}

/** Positions of the ten nearest chunks. */
function nearest({ vector }: Question, chunks: Chunk[]): number[] {
  const scored = chunks.map(({ element }, index) => ({
    index,
    score: element.embeddings.reduce((sum, value, at) => sum + value * vector[at]!, 0),
  }))
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, 10)
    .map(({ index }) => index)
}

async function open({ weights, convention }: Candidate): Promise<(text: string) => Promise<number[]>> {
  const model = weights ? await fetchWeights(weights) : findModel(defaultModelName)
  const tokenizer = await loadTokenizer(model)
  const session = await loadSession(model)
  await embed(session, tokenize(tokenizer, 'warm up', model), convention)
  return (text) => embed(session, tokenize(tokenizer, text, model), convention)
}

async function embed(session: InferenceSession, ids: number[], { pooling }: Convention): Promise<number[]> {
  const hidden = await runSession(session, ids)
  const values = hidden.data as Float32Array
  const dims = hidden.dims[2]!
  const used = pooling === 'cls' ? 1 : ids.length
  const pooled = Array.from({ length: dims }, (_, dim) => {
    let sum = 0
    for (let token = 0; token < used; token++) sum += values[token * dims + dim]!
    return sum / used
  })
  const length = Math.hypot(...pooled)
  return pooled.map((value) => value / length)
}
