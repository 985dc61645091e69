import { invalid } from '../../../errors.ts'
import type { ConfiguredProviders } from '../../../pipeline/models/providers.ts'
import { type PipelineNode, parseNodes } from '../../../pipeline/nodes.ts'

/** The options of the older endpoint; unknown fields are ignored. */
type GeneralOptions = {
  nodes: PipelineNode[]
  firstPage: number
  uniqueIds: boolean
  format: 'json' | 'csv'
}

type Fields = Map<string, string[]>

export function readGeneralOptions(fields: Fields, configured: ConfiguredProviders): GeneralOptions {
  const format = oneOf(fields, 'output_format', FORMATS) ?? 'json'
  const strategy = oneOf(fields, 'strategy', STRATEGIES) ?? 'hi_res'
  const languages = (fields.get('languages') ?? fields.get('ocr_languages') ?? [])
    .flatMap((each) => each.split(/[,+]/))
    .map((each) => each.trim())
    .filter(Boolean)
  const partition = {
    type: 'partition',
    subtype: strategy,
    settings: languages.length > 0 ? { ocr_languages: languages } : {},
  }
  const chunking = oneOf(fields, 'chunking_strategy', CHUNKERS)
  const chunk = chunking
    ? [{ type: 'chunk', subtype: chunking, settings: chunkSettings(fields, chunking) }]
    : []
  return {
    nodes: parseNodes([partition, ...chunk], { loc: ['body'], configured }),
    firstPage: number(fields, 'starting_page_number') ?? 1,
    uniqueIds: isTrue(fields, 'unique_element_ids'),
    format,
  }
}

const FORMATS = { 'application/json': 'json', 'text/csv': 'csv' } as const
/** `hi_res` includes OCR of pages without text. */
const STRATEGIES = {
  auto: 'auto',
  fast: 'fast',
  hi_res: 'hi_res',
  ocr_only: 'hi_res',
  od_only: 'hi_res',
  vlm: 'vlm',
} as const
const CHUNKERS = {
  basic: 'chunk_by_character',
  by_title: 'chunk_by_title',
  by_page: 'chunk_by_page',
  by_similarity: 'chunk_by_similarity',
} as const

/** Defaults that clients of this endpoint expect, not those of workflows. */
function chunkSettings(fields: Fields, chunker: string): Record<string, unknown> {
  const max = number(fields, 'max_characters') ?? 500
  const settings = {
    max_characters: max,
    new_after_n_chars: Math.min(number(fields, 'new_after_n_chars') ?? max, max),
    overlap: number(fields, 'overlap') ?? 0,
    overlap_all: isTrue(fields, 'overlap_all'),
    include_orig_elements: isTrue(fields, 'include_orig_elements'),
  }
  if (chunker === 'chunk_by_title')
    return {
      ...settings,
      combine_text_under_n_chars: Math.min(number(fields, 'combine_under_n_chars') ?? max, max),
      multipage_sections: !fields.has('multipage_sections') || isTrue(fields, 'multipage_sections'),
    }
  const threshold = number(fields, 'similarity_threshold')
  return chunker === 'chunk_by_similarity' && threshold !== undefined
    ? { ...settings, similarity_threshold: threshold }
    : settings
}

function oneOf<T>(fields: Fields, name: string, values: Record<string, T>): T | undefined {
  const given = textOf(fields, name)?.toLowerCase()
  if (given === undefined) return undefined
  if (Object.hasOwn(values, given)) return values[given]
  throw invalid(['body', name], `${name} should be one of ${Object.keys(values).join(', ')}`)
}

function number(fields: Fields, name: string): number | undefined {
  const given = textOf(fields, name)
  if (given === undefined) return undefined
  const value = Number(given)
  if (Number.isFinite(value) && value >= 0) return value
  throw invalid(['body', name], `${name} should be a number`)
}

function isTrue(fields: Fields, name: string): boolean {
  return ['true', '1', 'yes'].includes(textOf(fields, name)?.toLowerCase() ?? '')
}

function textOf(fields: Fields, name: string): string | undefined {
  const given = fields.get(name)?.at(-1)?.trim()
  return given === '' || given === 'null' || given === 'None' ? undefined : given
}
