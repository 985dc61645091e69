/** The scores of an n-gram by language number, as the detector reads them. */
type Scores = Record<number, number>

export type LanguageData = {
  type: string
  languages: Record<number, string>
  ngrams: Record<string, Scores | undefined>
}

/** An n-gram and its scores, such as `'L>7L':{0:164}` or `OAPA:{1:98,15:120}`. */
const NGRAM = /(?:'((?:\\['\\]|[^'\\])*)'|([^\s,:{}'"\\]+)):\{([\d:,]+)\}/y
const LANGUAGE = /(\d+):'(\w+)'/g

/** Prose repeats its n-grams. */
const MAX_DECODED = 4000

/**
 * Reads the database of the detector from its source text: 22 MB, where running the file takes 86 MB. Null if the
 * text has another form.
 */
export function readLanguageData(source: string): LanguageData | null {
  const head = /export const ngramsData = \{type:'(\w+)',languages:\{([^}]+)\},isSubset:false,ngrams:\{/.exec(
    source,
  )
  if (!head) return null
  const ngrams = readNgrams(source, head.index + head[0].length)
  if (!ngrams) return null
  const languages = Object.fromEntries(
    [...head[2]!.matchAll(LANGUAGE)].map(([, number, code]) => [number, code]),
  )
  return { type: head[1]!, languages, ngrams }
}

/** Pairs of language and score in one array; a map has where they begin. */
function readNgrams(source: string, start: number): LanguageData['ngrams'] | null {
  const begins = new Map<string, number>()
  const pairs: number[] = []
  NGRAM.lastIndex = start
  for (;;) {
    const found = NGRAM.exec(source)
    if (!found) return null
    const [, quoted, bare, scores = ''] = found
    begins.set(quoted === undefined ? bare! : quoted.replaceAll(/\\(.)/g, '$1'), pairs.length)
    const numbers = scores.split(/[:,]/).map(Number)
    if (numbers.length % 2 !== 0 || numbers.some((number) => number > 255)) return null
    pairs.push(numbers.length / 2, ...numbers)
    const next = source[NGRAM.lastIndex]
    if (next === '}') return decodedOnUse(begins, Uint8Array.from(pairs))
    if (next !== ',') return null
    NGRAM.lastIndex++
  }
}

/** The detector looks n-grams up as properties. */
function decodedOnUse(begins: Map<string, number>, pairs: Uint8Array): LanguageData['ngrams'] {
  const decoded = new Map<string, Scores>()
  const get = (_: object, ngram: string): Scores | undefined => {
    const known = decoded.get(ngram)
    if (known) return known
    const begin = begins.get(ngram)
    if (begin === undefined) return undefined
    const scores: Scores = {}
    const end = begin + 1 + 2 * pairs[begin]!
    for (let at = begin + 1; at < end; at += 2) scores[pairs[at]!] = pairs[at + 1]!
    if (decoded.size >= MAX_DECODED) decoded.clear()
    decoded.set(ngram, scores)
    return scores
  }
  return new Proxy({}, { get }) as LanguageData['ngrams']
}
