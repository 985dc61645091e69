import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { createEmbedder, type Embedder } from '../src/pipeline/embed/embedder.ts'
import { loadTokenizer, tokenize } from '../src/pipeline/embed/inference.ts'
import { defaultModelName, findModel } from '../src/pipeline/embed/model.ts'
import type { BareOrder, BareResult } from './embedding-bare-worker.ts'

/** Embeddings per second: onnxruntime alone, our embedder, and their ratio. */
export type EmbeddingRates = { bare: number; ours: number; ratio: number }

const rounds = 5
const roundMs = 2_000
const never = new AbortController().signal

/**
 * Runs both in turns on texts of 126 tokens. The bare run gets tokens and builds no vector, so it is the upper
 * bound.
 */
export async function measureEmbedding(threads = availableParallelism()): Promise<EmbeddingRates> {
  const texts = sampleTexts(64)
  const model = findModel(defaultModelName)
  const tokenizer = await loadTokenizer(model)
  const tokens = texts.map((text) => tokenize(tokenizer, text, model))
  const bareWorkers = Array.from(
    { length: threads },
    () => new Worker(new URL('./embedding-bare-worker.ts', import.meta.url), { workerData: tokens }),
  )
  const embedder = createEmbedder({ threads })
  try {
    await runBare(bareWorkers, 200)
    await runOurs(embedder, texts, 200)
    const bare: number[] = []
    const ours: number[] = []
    for (let round = 0; round < rounds; round++) {
      bare.push(await runBare(bareWorkers, roundMs))
      ours.push(await runOurs(embedder, texts, roundMs))
    }
    return { bare: mean(bare), ours: mean(ours), ratio: mean(ours) / mean(bare) }
  } finally {
    await embedder.close()
    await Promise.all(bareWorkers.map((worker) => worker.terminate()))
  }
}

async function runBare(workers: Worker[], durationMs: number): Promise<number> {
  const results = workers.map(
    (worker) =>
      new Promise<BareResult>((resolve, reject) => {
        worker.once('message', resolve).once('error', reject)
        worker.postMessage({ durationMs } satisfies BareOrder)
      }),
  )
  const rates = (await Promise.all(results)).map(({ count, elapsedMs }) => (count * 1000) / elapsedMs)
  return rates.reduce((sum, rate) => sum + rate, 0)
}

/** Two concurrent calls keep all threads busy; equal texts count once. */
async function runOurs(embedder: Embedder, texts: string[], durationMs: number): Promise<number> {
  const start = performance.now()
  const before = embedder.stats().embedded
  const caller = async () => {
    while (performance.now() - start < durationMs) await embedder.embed(texts, never)
  }
  await Promise.all([caller(), caller()])
  return ((embedder.stats().embedded - before) * 1000) / (performance.now() - start)
}

/** 124 common words per text; the jump makes each text unique. */
function sampleTexts(count: number): string[] {
  const words = 'the water of a mill race turns one wheel and that moves stone against grain'.split(' ')
  return Array.from({ length: count }, (_, text) =>
    Array.from({ length: 124 }, (_, i) => words[(i + (i >= text ? 7 : 0)) % words.length]).join(' '),
  )
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

if (import.meta.main) {
  const { bare, ours, ratio } = await measureEmbedding()
  console.log(`bare ${bare.toFixed(1)}/s, ours ${ours.toFixed(1)}/s, ratio ${ratio.toFixed(3)}`)
}
