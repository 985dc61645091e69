/** Languages without spaces between words, and their marks. Korean has spaces. */
const UNSPACED =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Myanmar}\\p{Script=Khmer}ー、-〜！-～]'
const ENDS = new RegExp(`${UNSPACED}\\p{M}*$`, 'u')
const BEGINS = new RegExp(`^${UNSPACED}`, 'u')

/** What separates two parts of a text that are apart on the page, such as the end of a line and the next line. */
export function spaceBetween(before: string, after: string): '' | ' ' {
  return ENDS.test(before.slice(-8)) && BEGINS.test(after) ? '' : ' '
}
