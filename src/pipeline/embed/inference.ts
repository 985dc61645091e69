import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { LocalModel } from './model.ts'

/** Blocks its thread, so it runs in worker threads. */
type Inference = (text: string) => Promise<Float32Array<ArrayBuffer>>

/**
 * One text per run: 65 texts per CPU-second, 40 in batches of 32. In a batch, a quantised model's vectors also
 * vary.
 */
export async function loadInference(model: LocalModel): Promise<Inference> {
  const tokenizer = await loadTokenizer(model)
  const session = await loadSession(model)
  return async (text) => {
    const ids = tokenize(tokenizer, text, model)
    return poolTokens(await runSession(session, ids), ids.length)
  }
}

export async function loadTokenizer(model: LocalModel): Promise<Tokenizer> {
  return new Tokenizer(JSON.parse(await readFile(model.tokenizerPath, 'utf8')), {})
}

/** One thread per session: the workers use the cores. */
export function loadSession(model: LocalModel): Promise<InferenceSession> {
  return InferenceSession.create(model.modelPath, { intraOpNumThreads: 1, interOpNumThreads: 1 })
}

/** The tokenizer file says 128 tokens, but the library does not cut the text. */
export function tokenize(tokenizer: Tokenizer, text: string, { maxTokens }: LocalModel): number[] {
  const { ids } = tokenizer.encode(text)
  return ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - 1), ids.at(-1)!]
}

export async function runSession(session: InferenceSession, ids: number[]): Promise<Tensor> {
  const shape = [1, ids.length]
  const output = await session.run({
    input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
    // Nothing is padded, so every token counts.
    attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
  })
  return output[session.outputNames[0]!]!
}

/** The mean of the vectors of all tokens, with length 1. */
export function poolTokens(hidden: Tensor, tokenCount: number): Float32Array<ArrayBuffer> {
  const values = hidden.data as Float32Array
  const dims = hidden.dims[2]!
  const mean = new Float32Array(dims)
  for (let i = 0; i < values.length; i++) mean[i % dims]! += values[i]!
  return normalise(mean.map((sum) => sum / tokenCount))
}

function normalise(vector: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
