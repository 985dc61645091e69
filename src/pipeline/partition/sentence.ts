/** The type of a text that is not known to be anything else. */
export function textType(text: string): 'NarrativeText' | 'UncategorizedText' {
  return isNarrative(text) ? 'NarrativeText' : 'UncategorizedText'
}

/**
 * Counts words, to work in any language: eight, or three with a full stop. Scripts without spaces need
 * fifteen letters, or six with a full stop.
 */
export function isNarrative(text: string): boolean {
  const sample = text.slice(0, 500)
  const isComplete = SENTENCE_END.test(text.slice(-5))
  const hasUnspaced = /[\u0e00-\uffff]/.test(sample)
  if (hasUnspaced && hasAtLeast(isComplete ? 6 : 15, UNSPACED_LETTER, sample)) return true
  return hasAtLeast(isComplete ? 3 : 8, WORD, sample)
}

/** Stops at the last one that counts. */
function hasAtLeast(count: number, pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0
  for (let found = 0; found < count; found++) if (!pattern.test(text)) return false
  return true
}

/** Sentence end, with optional closing quotes or brackets. */
const SENTENCE_END = /[.!?…。！？｡।؟۔።]["'”’»›)\]」』）]*$/u
const UNSPACED_LETTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu
const WORD = /[\p{L}\p{N}]\S*/gu
