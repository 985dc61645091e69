import type { DocumentWarning, Element } from '../../document.ts'
import type { LanguageModel } from '../models/model.ts'
import type { PartitionResult } from '../partition-result.ts'
import { askEach } from './each.ts'
import type { Enrichment } from './enrichment.ts'
import { entities } from './entities.ts'
import { imageDescription } from './image-description.ts'
import type { EnrichKind, EnrichStep } from './kinds.ts'
import { ocr } from './ocr.ts'
import { tableDescription } from './table-description.ts'
import { tableEnrichment } from './table-html.ts'

const KINDS: Record<EnrichKind, Enrichment> = {
  image_description: imageDescription,
  table_description: tableDescription,
  table2html: tableEnrichment,
  ner: entities,
  ocr,
}

/**
 * One prompter node over the elements of a document. Ids stay what they were before: they follow from the document,
 * not from what a model says of it. What cannot be had is counted and said, and never fails the document.
 */
export async function enrich(
  worked: PartitionResult,
  { step, model }: { step: EnrichStep; model: LanguageModel },
  signal: AbortSignal,
): Promise<PartitionResult> {
  const kind = KINDS[step.kind]
  const elements = [...worked.elements]
  const left: string[] = []
  const asked = elements.flatMap((element, index) => {
    const question = kind.question(element, step.prompt)
    if (typeof question === 'string') left.push(question)
    return question === null || typeof question === 'string' ? [] : [{ element, index, question }]
  })

  const told = await askEach<Element>(
    asked.map(
      ({ element, question }) =>
        async (within) =>
          kind.apply(element, await model.ask(question, within)),
    ),
    signal,
  )
  for (const [at, element] of told.results.entries()) if (element) elements[asked[at]!.index] = element
  return {
    ...worked,
    elements,
    warnings: [
      ...worked.warnings,
      ...enrichmentWarning('enrichment_failed', kind.what, told.failures),
      ...enrichmentWarning('enrichment_left_out', kind.what, [...left, ...told.left]),
    ],
    ...(told.again ? { incomplete: true } : {}),
  }
}

/** One for all of a kind, about the first. */
export function enrichmentWarning(code: string, what: string, reasons: string[]): DocumentWarning[] {
  if (reasons.length === 0) return []
  return [{ code, count: reasons.length, message: `${what} could not be had: ${reasons[0]}` }]
}
