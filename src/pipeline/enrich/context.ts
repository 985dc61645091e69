import type { Element } from '../../document.ts'
import type { LanguageModel } from '../models/model.ts'
import type { PartitionResult } from '../partition-result.ts'
import { askEach } from './each.ts'
import { enrichmentWarning } from './enrich.ts'
import { plainAnswer } from './enrichment.ts'
import { LONGEST_CONTEXT } from './kinds.ts'

const INSTRUCTION =
  'You are given a document and one piece of it. Say in one or two short sentences what the document is and where in ' +
  'it the piece stands, so that the piece is understood by itself. Only that, no introduction, no markup, in the ' +
  'language of the document.\n\nThe document:\n\n'

// About 6,000 tokens: longer documents are given by their headings and by what stands around the piece.
const LONGEST_DOCUMENT = 24_000
const LONGEST_OUTLINE = 4000
const NEIGHBOURS = 3
const LONGEST_NEIGHBOUR = 3000
// Room for models that think before they answer; of the answer, two long sentences are kept.
const MOST_TOKENS = 2000

/** Above each chunk, a sentence or two of where it stands. Its id stays: it follows from the document alone. */
export async function addContext(
  chunks: PartitionResult,
  { elements, model }: { elements: Element[]; model: LanguageModel },
  signal: AbortSignal,
): Promise<PartitionResult> {
  const whole = elements.map(({ text }) => text).join('\n\n')
  const outline = elements
    .flatMap(({ type, text }) => (type === 'Title' ? [text] : []))
    .join('\n')
    .slice(0, LONGEST_OUTLINE)

  const documentFor = (index: number) => {
    if (whole.length <= LONGEST_DOCUMENT) return whole
    const around = chunks.elements.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1)
    const texts = around.map(({ text }) => text.slice(0, LONGEST_NEIGHBOUR))
    return `Its headings:\n${outline}\n\nAround the piece:\n${texts.join('\n\n')}`
  }

  const meant = chunks.elements.flatMap((chunk, index) =>
    chunk.text.trim() === '' ? [] : [{ chunk, index }],
  )
  const told = await askEach<Element>(
    meant.map(({ chunk, index }) => async (within) => {
      const system = `${INSTRUCTION}${documentFor(index)}`
      const question = { system, prompt: `The piece:\n\n${chunk.text}`, maxTokens: MOST_TOKENS }
      const context = shortened(plainAnswer(await model.ask(question, within)))
      return context === '' ? null : { ...chunk, text: `${context}\n\n${chunk.text}` }
    }),
    signal,
  )
  const made = [...chunks.elements]
  for (const [at, chunk] of told.results.entries()) if (chunk) made[meant[at]!.index] = chunk
  return {
    ...chunks,
    elements: made,
    warnings: [
      ...chunks.warnings,
      ...enrichmentWarning('context_failed', 'the context of a chunk', told.failures),
      ...enrichmentWarning('context_left_out', 'the context of a chunk', told.left),
    ],
    ...(told.again ? { incomplete: true } : {}),
  }
}

/** To the last sentence that fits, or else to the last word. */
function shortened(context: string): string {
  if (context.length <= LONGEST_CONTEXT) return context
  const begun = context.slice(0, LONGEST_CONTEXT)
  return /^[\s\S]*[.!?。](?=\s)/.exec(begun)?.[0] ?? begun.replace(/\s\S*$/, '').toWellFormed()
}
