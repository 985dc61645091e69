import type { Element } from '../../document.ts'
import type { LanguageModel } from '../models/model.ts'
import type { PartitionResult } from '../partition-result.ts'
import { askEach } from './each.ts'
import { enrichmentWarning } from './enrich.ts'
import { plainAnswer } from './enrichment.ts'
import { MAX_CONTEXT_LENGTH } from './kinds.ts'

const INSTRUCTION =
  'You are given a document and one piece of it. Say in one or two short sentences what the document is and where in ' +
  'it the piece stands, so that the piece is understood by itself. Only that, no introduction, no markup, in the ' +
  'language of the document.\n\nThe document:\n\n'

// About 6,000 tokens; for longer documents the model gets headings and neighbouring chunks.
const MAX_DOCUMENT_LENGTH = 24_000
const MAX_OUTLINE_LENGTH = 4000
const NEIGHBOURS = 3
const MAX_NEIGHBOUR_LENGTH = 3000
// Leaves room for reasoning; only two long sentences are kept.
const MAX_TOKENS = 2000

/** Prepends context to each chunk; ids depend only on the document. */
export async function addContext(
  chunks: PartitionResult,
  { elements, model }: { elements: Element[]; model: LanguageModel },
  signal: AbortSignal,
): Promise<PartitionResult> {
  const whole = elements.map(({ text }) => text).join('\n\n')
  const outline = elements
    .flatMap(({ type, text }) => (type === 'Title' ? [text] : []))
    .join('\n')
    .slice(0, MAX_OUTLINE_LENGTH)

  const documentFor = (index: number) => {
    if (whole.length <= MAX_DOCUMENT_LENGTH) return whole
    const neighbours = chunks.elements.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1)
    const texts = neighbours.map(({ text }) => text.slice(0, MAX_NEIGHBOUR_LENGTH))
    return `Its headings:\n${outline}\n\nAround the piece:\n${texts.join('\n\n')}`
  }

  const targets = chunks.elements.flatMap((chunk, index) =>
    chunk.text.trim() === '' ? [] : [{ chunk, index }],
  )
  const answers = await askEach<Element>(
    targets.map(({ chunk, index }) => async (taskSignal) => {
      const system = `${INSTRUCTION}${documentFor(index)}`
      const request = { system, prompt: `The piece:\n\n${chunk.text}`, maxTokens: MAX_TOKENS }
      const context = shorten(plainAnswer(await model.ask(request, taskSignal)))
      return context === '' ? null : { ...chunk, text: `${context}\n\n${chunk.text}` }
    }),
    signal,
  )
  const withContext = [...chunks.elements]
  for (const [at, chunk] of answers.results.entries()) if (chunk) withContext[targets[at]!.index] = chunk
  return {
    ...chunks,
    elements: withContext,
    warnings: [
      ...chunks.warnings,
      ...enrichmentWarning('context_failed', 'the context of a chunk', answers.failures),
      ...enrichmentWarning('context_left_out', 'the context of a chunk', answers.skipped),
    ],
    ...(answers.mayRetry ? { incomplete: true } : {}),
  }
}

/** Cuts at the last sentence that fits, else at the last word. */
function shorten(context: string): string {
  if (context.length <= MAX_CONTEXT_LENGTH) return context
  const start = context.slice(0, MAX_CONTEXT_LENGTH)
  return /^[\s\S]*[.!?。](?=\s)/.exec(start)?.[0] ?? start.replace(/\s\S*$/, '').toWellFormed()
}
