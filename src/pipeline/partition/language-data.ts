/** What the detector knows of its languages, in the order of their numbers. */
type LanguageData = { languages: string[]; ngrams: NgramScores }

/** Quoted if necessary, and its scores: `'L>7L':{0:164}` or `OAPA:{1:98,15:120}`. */
const NGRAM = /(?:'((?:\\['\\]|[^'\\])*)'|([^\s,:{}'"\\]+)):\{/y
const LANGUAGE = /\d+:'(\w+)'/g

/** Reads the database of the detector from its source text: 3 MB, where running the file takes 86 MB. */
export function readLanguageData(source: string): LanguageData {
  const head = /export const ngramsData = \{type:'\w+',languages:\{([^}]+)\},isSubset:false,ngrams:\{/.exec(
    source,
  )
  if (!head) throw anotherForm(0)
  const languages = [...head[1]!.matchAll(LANGUAGE)].map(([, code = '']) => code)
  return { languages, ngrams: readNgrams(source, head.index + head[0].length) }
}

function readNgrams(source: string, start: number): NgramScores {
  const keys: number[] = []
  const begins: number[] = []
  const pairs: number[] = []
  for (let at = start; ; at++) {
    NGRAM.lastIndex = at
    const [, quoted, bare = ''] = NGRAM.exec(source) ?? []
    if (NGRAM.lastIndex === 0) throw anotherForm(at)
    keys.push(packed(quoted === undefined ? bare : quoted.replaceAll(/\\(.)/g, '$1')))
    begins.push(pairs.length)
    at = addNumbers(source, NGRAM.lastIndex, pairs)
    if (pairs.length % 2 !== 0) throw anotherForm(at)
    if (source[at] === '}') return new NgramScores(keys, begins, pairs)
    if (source[at] !== ',') throw anotherForm(at)
  }
}

/** Numbers between colons and commas up to a brace. Returns the position after it. */
function addNumbers(source: string, start: number, numbers: number[]): number {
  let number = 0
  for (let at = start; ; at++) {
    const code = source.charCodeAt(at)
    if (code >= DIGIT_0 && code <= DIGIT_9) {
      number = number * 10 + code - DIGIT_0
      if (number > 255) throw anotherForm(at)
      continue
    }
    numbers.push(number)
    number = 0
    if (code === BRACE) return at + 1
    if (code !== COLON && code !== COMMA) throw anotherForm(at)
  }
}

const [DIGIT_0, DIGIT_9, COLON, COMMA, BRACE] = [0x30, 0x39, 0x3a, 0x2c, 0x7d]

function anotherForm(at: number): Error {
  return new Error(`the data of the language detector has another form at character ${at}`)
}

/** Up to six characters of Latin-1 as one number. */
function packed(ngram: string): number {
  let key = 0
  for (let at = 0; at < ngram.length; at++) key = key * 256 + ngram.charCodeAt(at)
  return key
}

/** The database leaves it out of every score. */
const MIN_NGRAM_SCORE = 53

/** A hash table in typed arrays. */
class NgramScores {
  readonly #keys: Float64Array
  readonly #begins: Uint32Array
  readonly #ends: Uint32Array
  /** A language and its score in turn. */
  readonly #pairs: Uint8Array
  readonly #mask: number

  constructor(keys: number[], begins: number[], pairs: number[]) {
    const size = 2 ** Math.ceil(Math.log2(keys.length * 2))
    this.#mask = size - 1
    this.#keys = new Float64Array(size)
    this.#begins = new Uint32Array(size)
    this.#ends = new Uint32Array(size)
    this.#pairs = Uint8Array.from(pairs)
    for (const [at, key] of keys.entries()) {
      const place = this.#place(key)
      this.#keys[place] = key
      this.#begins[place] = begins[at]!
      this.#ends[place] = begins[at + 1] ?? pairs.length
    }
  }

  /** Adds the scores of an n-gram to those of the languages. */
  addTo(sums: Float64Array, key: number): void {
    const place = this.#place(key)
    const end = this.#ends[place]!
    for (let at = this.#begins[place]!; at < end; at += 2)
      sums[this.#pairs[at]!]! += this.#pairs[at + 1]! + MIN_NGRAM_SCORE
  }

  /** Of the key, or where it would be. */
  #place(key: number): number {
    const high = Math.trunc(key / 0x1_0000_0000)
    const low = key - high * 0x1_0000_0000
    const mixed = Math.imul(low ^ Math.imul(high, 0x85eb_ca6b), 0x9e37_79b1)
    let place = (mixed >>> 12) & this.#mask
    while (this.#keys[place] !== 0 && this.#keys[place] !== key) place = (place + 1) & this.#mask
    return place
  }
}
