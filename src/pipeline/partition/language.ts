/**
 * The language of a text where it is certain, as ISO 639-3; undefined otherwise. Some scripts are written by
 * one language only. For the Latin one the commonest small words decide, and only clearly: at least 20 words,
 * a fifteenth of them this language's, and three times as many as any other's.
 */
export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, 4000)
  // Most pages are written in Latin letters alone, and need no counting of others.
  if (!OTHER_LETTERS.test(sample)) return byCommonWords(sample)
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  if (letters < 20) return undefined
  for (const [language, script] of SCRIPTS) {
    // Japanese pages are mostly Han, and Korean ones may quote: a fifth is enough where the script is its own.
    if ((sample.match(script)?.length ?? 0) * 5 >= letters) return language
  }
  return byCommonWords(sample)
}

/** What may be a letter of another script: punctuation, arrows, symbols and emoji stand on pages of any language. */
const OTHER_LETTERS = /[\u0370-\u1fff\u2c00-\u2fff\u3040-\ud7ff\uf900-\ufdff\ufe30-\uffef]/

const SCRIPTS: [string, RegExp][] = [
  ['jpn', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['kor', /\p{Script=Hangul}/gu],
  ['tha', /\p{Script=Thai}/gu],
  ['ell', /\p{Script=Greek}/gu],
  ['hye', /\p{Script=Armenian}/gu],
  ['kat', /\p{Script=Georgian}/gu],
]

/** Some are shared; they count for each, which only makes the answer more careful. */
const COMMON_WORDS = {
  eng: 'the and of to is are this that with for you be from not',
  deu: 'der die das und ist nicht mit ein eine für auf den wird sich',
  fra: 'le les et est des une dans pour qui pas sur avec au du',
  spa: 'el los las y es una para con por del se como más',
  ita: 'il di è che gli della per sono con nel non dei alla',
  por: 'o os é uma para com não do da em são no ao',
  nld: 'het een van en is niet met voor op zijn dat wordt deze',
}

const LANGUAGES_OF_WORD = new Map<string, string[]>()
for (const [language, words] of Object.entries(COMMON_WORDS)) {
  for (const word of words.split(' ')) {
    LANGUAGES_OF_WORD.set(word, [...(LANGUAGES_OF_WORD.get(word) ?? []), language])
  }
}

function byCommonWords(sample: string): string | undefined {
  const words =
    sample
      .slice(0, 2000)
      .toLowerCase()
      .match(/\p{Script=Latin}+/gu) ?? []
  if (words.length < 20) return undefined
  const counts = new Map<string, number>()
  for (const word of words) {
    for (const language of LANGUAGES_OF_WORD.get(word) ?? []) {
      counts.set(language, (counts.get(language) ?? 0) + 1)
    }
  }
  const [first, second] = [...counts].sort((a, b) => b[1] - a[1])
  if (!first || first[1] * 15 < words.length || first[1] < 3 * (second?.[1] ?? 0)) return undefined
  return first[0]
}
