import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../errors.ts'

/** A bundled model; `name` is `model_name` in the API. */
export type LocalModel = {
  name: string
  dims: number
  /** Includes special tokens; longer input is cut. */
  maxTokens: number
  /** A query means something to a text from this cosine on; docs/search.md says how it was chosen. */
  floor: number
  modelPath: string
  tokenizerPath: string
  sha256: { model: string; tokenizer: string }
}

export const defaultModelName = 'all-minilm-l6-v2'
export const defaultDims = 384

export const models: Record<string, LocalModel> = {
  [defaultModelName]: {
    name: defaultModelName,
    dims: defaultDims,
    maxTokens: 256,
    floor: 0.32,
    modelPath: modelFile('all-minilm-l6-v2-q8/model.onnx'),
    tokenizerPath: modelFile('all-minilm-l6-v2-q8/tokenizer.json'),
    sha256: {
      model: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      tokenizer: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
    },
  },
}

const modelNames = Object.keys(models)

export function findModel(name: string): LocalModel {
  const model = Object.hasOwn(models, name) ? models[name] : undefined
  if (model) return model
  throw new AppError('invalid_request', `unknown local embedding model "${name}"`, {
    fix: `Local models: ${modelNames.join(', ')}`,
  })
}

/** The bundled models were trained on English: vectors of other scripts are alike, whatever the text says. */
export function isReadable(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? []
  return letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length * 2 >= letters.length
}

/** A truncated file or a Git LFS pointer would crash workers or change vectors. Takes 50 ms per process. */
export async function verifyModel(model: LocalModel): Promise<void> {
  await Promise.all([
    verifyFile(model.modelPath, model.sha256.model),
    verifyFile(model.tokenizerPath, model.sha256.tokenizer),
  ])
}

async function verifyFile(path: string, sha256: string): Promise<void> {
  const bytes = await readFile(path).catch((cause) => {
    throw new AppError('embedder_failed', `reading the embedding model ${path}: ${cause.code}`, {
      cause,
      fix,
    })
  })
  if (hash('sha256', bytes) === sha256) return
  throw new AppError('embedder_failed', `the embedding model ${path} differs from the published file`, {
    fix,
  })
}

const fix = 'Restore the folder "models" of the installation'

function modelFile(path: string): string {
  return fileURLToPath(new URL(`../../../models/${path}`, import.meta.url))
}
