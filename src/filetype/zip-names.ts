import { isUtf8 } from 'node:buffer'

/** The upper half of code page 437, in which old programs write names. */
const CODE_PAGE_437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀' +
  'αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

/** macOS writes UTF-8 without its flag, so valid UTF-8 is taken as such. */
export function decodeName(bytes: Uint8Array, isFlaggedUtf8: boolean): string {
  if (isFlaggedUtf8 || isUtf8(bytes)) return new TextDecoder().decode(bytes)
  return Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : (CODE_PAGE_437[byte - 0x80] ?? ''),
  ).join('')
}
