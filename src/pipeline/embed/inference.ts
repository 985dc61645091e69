import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { LocalModel } from './model.ts'

/** Blocks the thread while it runs: for worker threads. */
export type Inference = (text: string) => Promise<Float32Array<ArrayBuffer>>

/**
 * One text per run. On a CPU that is faster than batches (65 embeddings per CPU-second against 40 in batches of
 * 32), and the vector of a quantised model changes slightly with its batch mates: alone it is the same every time.
 */
export async function loadInference(model: LocalModel): Promise<Inference> {
  const tokenizer = await loadTokenizer(model)
  const session = await loadSession(model)
  return async (text) => normalised(await tokenMean(session, tokenize(tokenizer, text, model)))
}

export async function loadTokenizer(model: LocalModel): Promise<Tokenizer> {
  return new Tokenizer(JSON.parse(await readFile(model.tokenizerPath, 'utf8')), {})
}

/** One thread each: the workers are what uses the cores. */
export function loadSession(model: LocalModel): Promise<InferenceSession> {
  return InferenceSession.create(model.modelPath, { intraOpNumThreads: 1, interOpNumThreads: 1 })
}

/** The file of the tokenizer asks for 128 tokens, cut and padded; this library does neither, so the cut is ours. */
export function tokenize(tokenizer: Tokenizer, text: string, { maxTokens }: LocalModel): number[] {
  const { ids } = tokenizer.encode(text)
  return ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - 1), ids.at(-1)!]
}

export async function runSession(session: InferenceSession, ids: number[]): Promise<Tensor> {
  const shape = [1, ids.length]
  const output = await session.run({
    input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
    // Nothing is padded, so that every token counts.
    attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
  })
  return output[session.outputNames[0]!]!
}

async function tokenMean(session: InferenceSession, ids: number[]): Promise<Float32Array<ArrayBuffer>> {
  const hidden = await runSession(session, ids)
  const values = hidden.data as Float32Array
  const dims = hidden.dims[2]!
  const mean = new Float32Array(dims)
  for (let i = 0; i < values.length; i++) mean[i % dims]! += values[i]!
  return mean.map((sum) => sum / ids.length)
}

function normalised(vector: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
