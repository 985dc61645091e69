import type { LanguageProvider } from '../models/providers.ts'

/** What a model can add; each name ends a node subtype in the API. */
export const ENRICH_KINDS = ['image_description', 'table_description', 'table2html', 'ner', 'ocr'] as const
export type EnrichKind = (typeof ENRICH_KINDS)[number]

/** One enrichment node (`prompter`), with its defaults filled in. */
export type EnrichStep = { kind: EnrichKind; provider: LanguageProvider; model: string; prompt?: string }

/** Context above a chunk does not count towards the chunk's limit. */
export const MAX_CONTEXT_LENGTH = 500

export function isEnrichKind(name: string): name is EnrichKind {
  return (ENRICH_KINDS as readonly string[]).includes(name)
}
