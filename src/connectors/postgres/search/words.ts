/** A tsvector holds 1 MB at most; this many different signs and pairs, of 4 bytes each, always fit. */
const MAX_CHARACTERS = 50_000

/** Locales disagree about these, so they become spaces first. */
const SEPARATORS = [
  '\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf',
  '\\u00d7\\u00f7\\u055a-\\u055f\\u0589\\u058a\\u05be\\u05c0\\u05c3\\u05c6\\u05f3\\u05f4',
  '\\u060c\\u061b\\u061f\\u066a-\\u066d\\u06d4\\u0964\\u0965\\u2000-\\u206f\\u20a0-\\u20cf\\u2190-\\u2bff\\u2e00-\\u2e7f',
  '\\u3000-\\u3004\\u3008-\\u3020\\u3030\\ufe10-\\ufe1f\\ufe30-\\ufe6f\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40',
  '\\uff5b-\\uff65\\U0001f000-\\U0001faff',
].join('')

/** Chinese, Japanese, Korean, Thai and Lao join words, so a sign is a letter with its vowels and tones. */
const SIGN = [
  '[\\u3041-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff',
  '\\U00020000-\\U0003ffff]|[\\u0e01-\\u0e30\\u0e32\\u0e33\\u0e40-\\u0e46\\u0e81-\\u0eb0\\u0eb2\\u0eb3\\u0ebd-\\u0ec6]',
  '[\\u0e31\\u0e34-\\u0e3a\\u0e47-\\u0e4e\\u0eb1\\u0eb4-\\u0ebc\\u0ec8-\\u0ece]*',
].join('')

const ARABIC = '\\u0600-\\u06ff'
const HEBREW = '\\u05d0-\\u05ea'
/** And, the, in, to, from, like, that: Hebrew joins them to the word. */
const HEBREW_PREFIX = '\\u05d5\\u05d4\\u05d1\\u05dc\\u05db\\u05de\\u05e9'

/** SQL, as all of these; `text` is SQL too. */
function replaced(text: string, [pattern, by]: [pattern: string, by: string]): string {
  return `regexp_replace(${text}, '${pattern}', '${by}', 'g')`
}

function withoutMarks(text: string): string {
  const start = `left(coalesce(${text}, ''), ${MAX_CHARACTERS}) collate "C"`
  return replaced(start, [`[${SEPARATORS}]+`, ' '])
}

/** Every sign is a word. */
function withSigns(text: string): string {
  return replaced(text, [`(${SIGN})`, ' \\1 '])
}

/** Every two neighbouring signs are a word: each sign ends one and begins the next. */
function withPairs(text: string): string {
  return replaced(replaced(text, [`((?:${SIGN})+)`, ' \\1 ']), [`(${SIGN})`, '\\1 \\1'])
}

/** Hebrew words without their first letter or two. */
function withoutPrefixes(text: string): string {
  const hebrew = replaced(text, [`[^${HEBREW}]+`, ' '])
  const shorter = [1, 2].map((count) =>
    replaced(hebrew, [`(^| )[${HEBREW_PREFIX}]{${count}}([${HEBREW}]{3,})`, '\\1\\2']),
  )
  return shorter.join(" || ' ' || ")
}

function stems(text: string): string {
  return [
    `to_tsvector('pg_catalog.english', ${withPairs(text)})`,
    `to_tsvector('pg_catalog.arabic', ${replaced(text, [`[^${ARABIC}]+`, ' '])})`,
    `to_tsvector('pg_catalog.simple', ${withoutPrefixes(text)})`,
  ].join(' || ')
}

function exactWords(text: string): string {
  return `to_tsvector('pg_catalog.simple', ${withSigns(text)})`
}

/** SQL for stems and pairs of signs (weight D), exact words and signs (weight C); stop words have no stem. */
export function wordsOf(text: string): string {
  const words = withoutMarks(text)
  return `${stems(words)} || setweight(${exactWords(words)}, 'C')`
}

/** The weights of `ts_rank` that count one kind of word alone. */
export const STEM_WEIGHTS = '{1,0,0,0}'
export const EXACT_WEIGHTS = '{0,1,0,0}'

/** A word to search for. Pairs of signs count as stems; stop words and single signs are searched as they are. */
export type Term = { lexeme: string; kind: 'stem' | 'stop' | 'sign' }

/** The terms that decide what matches and is marked, if there are any. */
export function tellingTerms<T extends Term>(terms: T[]): T[] {
  return terms.filter(({ kind }) => kind === 'stem')
}

/** More words are left out: they would only cost time. */
const MAX_TERMS = 64

/** The terms of the text `$1`, in its order. */
export const TERMS = `
  with query as (select ${withoutMarks('$1::text')} as text)
  select lexeme, kind from (
    select lexeme, positions[1] as position, 'stem' as kind from query, unnest(${stems('text')})
    where lexeme !~ '^(${SIGN})$'
    union all
    select lexeme, positions[1], case when lexeme ~ '^(${SIGN})$' then 'sign' else 'stop' end
    from query, unnest(${exactWords('text')})
    where ts_lexize('pg_catalog.english_stem', lexeme) = '{}' or lexeme ~ '^(${SIGN})$'
  ) as terms
  order by position, lexeme limit ${MAX_TERMS}`

/** The words of the list `$1` with their stems. */
export const STEMS = `select word, tsvector_to_array(${stems('word')}) as stems from unnest($1::text[]) as word`

/** A tsquery of one word, quoted: nothing in a lexeme is an operator. */
export function tsqueryOf({ lexeme }: Term): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
