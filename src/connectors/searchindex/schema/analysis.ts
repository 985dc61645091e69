import type { IndexSettings } from '../engines/engine.ts'
import type { Field } from './field.ts'

/** Thai, Lao, Burmese and Khmer. */
const UNSPACED = '[\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff]'
/** Each part of a long word, from four letters on: the words of a German compound. */
const COMPOUND_PARTS = '(?<=^([a-zßà-öø-ÿ]{4,20}))(?=([a-zßà-öø-ÿ]{4,20})$)'
/** And, the, in, to, from, like, that: Hebrew joins one or two of them to the word. */
const HEBREW_PREFIX = '[והבלכמש]'
const HEBREW_WORDS = [1, 2].map((count) => `^${HEBREW_PREFIX}{${count}}([א-ת]{3,})$`)

const FORMS = [
  ...['cjk_width', 'lowercase', 'arabic_normalization', 'german_normalization'],
  ...['millrace_arabic', 'millrace_german', 'cjk_bigram', 'millrace_hebrew'],
]

/**
 * Settings that are fixed when an index is created. A query is too short to detect its language, so one analyzer serves
 * all: each filter changes letters of its own scripts only. Chinese, Japanese and Korean become pairs of signs; languages
 * that the tokenizer does not split have a second analyzer, which finds nothing in others. Neither needs a plugin.
 */
export const ANALYSIS = {
  tokenizer: {
    // The look-ahead lets pairs overlap.
    millrace_pairs: { type: 'pattern', pattern: `(?=(${UNSPACED}{2}))`, group: 1 },
  },
  filter: {
    millrace_arabic: { type: 'stemmer', language: 'arabic' },
    millrace_german: { type: 'stemmer', language: 'light_german' },
    millrace_hebrew: { type: 'pattern_capture', patterns: HEBREW_WORDS },
    millrace_parts: { type: 'pattern_capture', patterns: [COMPOUND_PARTS] },
  },
  analyzer: {
    millrace_languages: { type: 'custom', tokenizer: 'standard', filter: [...FORMS, 'millrace_parts'] },
    // The parts of a word in a query would find all words that share an ending.
    millrace_query: { type: 'custom', tokenizer: 'standard', filter: FORMS },
    millrace_pairs: { type: 'custom', tokenizer: 'millrace_pairs' },
  },
}

const SUBFIELDS: Record<string, Field> = {
  languages: { type: 'text', analyzer: 'millrace_languages', search_analyzer: 'millrace_query' },
  pairs: { type: 'text', analyzer: 'millrace_pairs' },
}

/** Whether the index was created with the analyzers. */
export function hasAnalyzers({ analysis }: IndexSettings): boolean {
  return Object.keys(ANALYSIS.analyzer).every((name) => analysis?.analyzer?.[name])
}

/** The fields with their subfields, if the index has the analyzers. */
export function withLanguages(fields: Record<string, Field>, settings: IndexSettings): Record<string, Field> {
  if (!hasAnalyzers(settings)) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([path, field]) => [
      path,
      { ...field, fields: { ...field.fields, ...SUBFIELDS } },
    ]),
  )
}

/** A text field and its subfields; a search ignores those that an index lacks. */
export function withSubfields(path: string): string[] {
  return [path, ...Object.keys(SUBFIELDS).map((name) => `${path}.${name}`)]
}

/** The same with weights: pairs of Chinese signs count more than single ones, which `path` has. */
export function weighted(path: string): string[] {
  return withSubfields(path).map((field) => (field.endsWith('.languages') ? `${field}^2` : field))
}
