import { isNarrative } from './sentence.ts'

/** Words in Latin letters, numbers and addresses between the words of another script. */
const LATIN_WORDS = /[\p{Script=Latin}\d][\p{Script=Latin}\p{M}\d_./:@=+#-]*/gu
/** Scripts with one language each; Japanese also uses Han. */
const SCRIPTS = [
  ['kor', /\p{Script=Hangul}/gu],
  ['kana', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zho', /\p{Script=Han}/gu],
  ['tha', /\p{Script=Thai}/gu],
  [
    'other',
    /[^\P{L}\p{Script=Latin}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\p{Script=Thai}]/gu,
  ],
] as const

const NOT_LATIN = /[^\P{L}\p{Script=Latin}]/u

/** Of the bytes of all letters. */
const MIN_SHARE = 0.2
/** Japanese has more; Chinese texts quote some. */
const MIN_KANA = 0.1

/**
 * The language of a text in another script than Latin, or the text without its Latin words if the script has
 * several languages. Null if another script or whole sentences in Latin letters matter as much.
 */
export function readScript(text: string, minBytes: number): { language: string } | { words: string } | null {
  if (!NOT_LATIN.test(text)) return null
  const bytes = Object.fromEntries(
    SCRIPTS.map(([name, letter]) => [name, Buffer.byteLength((text.match(letter) ?? []).join(''))]),
  ) as Record<(typeof SCRIPTS)[number][0], number>
  const { kana, zho, ...single } = bytes
  const isJapanese = kana >= (kana + zho) * MIN_KANA
  const found = Object.entries({ ...single, [isJapanese ? 'jpn' : 'zho']: kana + zho })
  const [language, own] = found.reduce((before, each) => (each[1] > before[1] ? each : before))
  const latin = Buffer.byteLength((text.match(/\p{Script=Latin}/gu) ?? []).join(''))
  const others = found.reduce((sum, [, count]) => sum + count, -own)
  if (own < minBytes || own < (own + others + latin) * MIN_SHARE) return null
  if (own < 2 * (others + latinSentences(text))) return null
  return language === 'other' ? { words: text.replaceAll(LATIN_WORDS, ' ') } : { language }
}

/** The bytes of sentences without another script. */
function latinSentences(text: string): number {
  return text
    .split(/\n|(?<=[.!?。！？])\s/u)
    .filter((sentence) => !NOT_LATIN.test(sentence) && isNarrative(sentence))
    .reduce((sum, sentence) => sum + Buffer.byteLength(sentence), 0)
}
