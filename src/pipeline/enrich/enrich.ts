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

/** Runs one enrichment node over a document. Ids do not change; a failure becomes a warning. */
export async function enrich(
  partitioned: PartitionResult,
  { step, model }: { step: EnrichStep; model: LanguageModel },
  signal: AbortSignal,
): Promise<PartitionResult> {
  const kind = KINDS[step.kind]
  const elements = [...partitioned.elements]
  const skipped: string[] = []
  const requests = elements.flatMap((element, index) => {
    const request = kind.request(element, step.prompt)
    if (typeof request === 'string') skipped.push(request)
    return request === null || typeof request === 'string' ? [] : [{ element, index, request }]
  })

  const answers = await askEach<Element>(
    requests.map(
      ({ element, request }) =>
        async (taskSignal) =>
          kind.apply(element, await model.ask(request, taskSignal)),
    ),
    signal,
  )
  for (const [at, element] of answers.results.entries()) if (element) elements[requests[at]!.index] = element
  return {
    ...partitioned,
    elements,
    warnings: [
      ...partitioned.warnings,
      ...enrichmentWarning('enrichment_failed', kind.what, answers.failures),
      ...enrichmentWarning('enrichment_left_out', kind.what, [...skipped, ...answers.skipped]),
    ],
    ...(answers.mayRetry ? { incomplete: true } : {}),
  }
}

/** One warning per kind, with the first reason. */
export function enrichmentWarning(code: string, what: string, reasons: string[]): DocumentWarning[] {
  if (reasons.length === 0) return []
  return [{ code, count: reasons.length, message: `adding ${what}: ${reasons[0]}` }]
}
