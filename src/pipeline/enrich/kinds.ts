import type { Answering } from '../models/providers.ts'

/** What a model can add to elements; the names are the ends of the subtypes on the wire. */
export const ENRICH_KINDS = ['image_description', 'table_description', 'table2html', 'ner', 'ocr'] as const
export type EnrichKind = (typeof ENRICH_KINDS)[number]

/** One prompter node, as it is worked. */
export type EnrichStep = { kind: EnrichKind; provider: Answering; model: string; prompt?: string }

/** Characters of context above a chunk, which come on top of those that the chunk may have. */
export const LONGEST_CONTEXT = 500

export function isEnrichKind(name: string): name is EnrichKind {
  return (ENRICH_KINDS as readonly string[]).includes(name)
}
