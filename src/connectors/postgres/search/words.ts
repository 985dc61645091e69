/** A tsvector holds 1 MB at most; the words of this many characters always fit. */
const MAX_CHARACTERS = 100_000

/** Locales disagree about these, so they become spaces first. */
const SEPARATORS = [
  '\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf',
  '\\u00d7\\u00f7\\u055a-\\u055f\\u0589\\u058a\\u05be\\u05c0\\u05c3\\u05c6\\u05f3\\u05f4',
  '\\u060c\\u061b\\u061f\\u066a-\\u066d\\u06d4\\u0964\\u0965\\u2000-\\u206f\\u20a0-\\u20cf\\u2190-\\u2bff\\u2e00-\\u2e7f',
  '\\u3000-\\u3004\\u3008-\\u3020\\u3030\\ufe10-\\ufe1f\\ufe30-\\ufe6f\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40',
  '\\uff5b-\\uff65\\U0001f000-\\U0001faff',
].join('')

/** Chinese and Japanese have no spaces: every sign is a word. */
const SINGLE_SIGNS = '\\u3041-\\u309f\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\U00020000-\\U0003ffff'

/** SQL for a text with one space between words; `text` is SQL too. */
function separated(text: string): string {
  const start = `left(coalesce(${text}, ''), ${MAX_CHARACTERS}) collate "C"`
  return `regexp_replace(regexp_replace(${start}, '[${SEPARATORS}]+', ' ', 'g'), '([${SINGLE_SIGNS}])', ' \\1 ', 'g')`
}

const stems = (text: string) => `to_tsvector('pg_catalog.english', ${text})`
const exactWords = (text: string) => `to_tsvector('pg_catalog.simple', ${text})`

/** SQL for English stems (weight D) and exact words (weight C); stop words have no stem. */
export function wordsOf(text: string): string {
  const words = separated(text)
  return `${stems(words)} || setweight(${exactWords(words)}, 'C')`
}

/** The weights of `ts_rank` that count one kind of word alone. */
export const STEM_WEIGHTS = '{1,0,0,0}'
export const EXACT_WEIGHTS = '{0,1,0,0}'

/** A word to search for: a stem, or a stop word as it is. */
export type Term = { lexeme: string; isStop: boolean }

/** More words are left out: they would only cost time. */
const MAX_TERMS = 64

/** The terms of the text `$1`, in its order. */
export const TERMS = `
  with query as (select ${separated('$1::text')} as text)
  select lexeme, is_stop as "isStop" from (
    select lexeme, positions[1] as position, false as is_stop from query, unnest(${stems('text')})
    union all
    select lexeme, positions[1], true from query, unnest(${exactWords('text')})
    where ts_lexize('pg_catalog.english_stem', lexeme) = '{}'
  ) as terms
  order by position, lexeme limit ${MAX_TERMS}`

/** A tsquery of one word, quoted: nothing in a lexeme is an operator. */
export function tsqueryOf({ lexeme }: Term): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
