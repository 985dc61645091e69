import { join } from 'node:path'
import { loadInference } from '../../src/pipeline/embed/inference.ts'
import { defaultModelName, findModel } from '../../src/pipeline/embed/model.ts'
import type { Corpus } from './corpus.ts'
import { type RankScores, rankScores } from './ranks.ts'
import { exactRank } from './retrieval.ts'

/** Uses exact distances, so that only the weights differ. */
export async function measureFullPrecision(folder: string, corpus: Corpus): Promise<RankScores> {
  const model = { ...findModel(defaultModelName), modelPath: join(folder, 'model.onnx') }
  const infer = await loadInference(model)
  const embed = async (text: string) => Array.from(await infer(text))
  const chunks: Corpus['chunks'] = []
  for (const chunk of corpus.chunks) {
    const embeddings = await embed(chunk.element.text)
    chunks.push({ ...chunk, element: { ...chunk.element, embeddings } })
  }
  const questions: Corpus['questions'] = []
  for (const question of corpus.questions)
    questions.push({ ...question, vector: await embed(question.question) })
  return rankScores(questions.map((question) => exactRank(question, chunks)))
}
