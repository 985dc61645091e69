/**
 * Counts words, to work in any language: eight, or three with a full stop. Scripts without spaces need
 * fifteen letters, or six with a full stop.
 */
export function isNarrative(text: string): boolean {
  const sample = text.slice(0, 500)
  const isComplete = SENTENCE_END.test(text.slice(-5))
  const unspaced = /[\u0e00-\uffff]/.test(sample) ? (sample.match(UNSPACED_LETTER)?.length ?? 0) : 0
  if (unspaced >= (isComplete ? 6 : 15)) return true
  const words = sample.match(WORD)?.length ?? 0
  return words >= (isComplete ? 3 : 8)
}

/** Sentence end, with optional closing quotes or brackets. */
const SENTENCE_END = /[.!?…。！？｡।؟۔።]["'”’»›)\]」』）]*$/u
const UNSPACED_LETTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu
const WORD = /[\p{L}\p{N}]\S*/gu
