/** Names of the code pages of Windows and old Macs that differ from `windows-<number>`. */
const NAMES = new Map([
  [437, 'ibm866'],
  [866, 'ibm866'],
  [874, 'windows-874'],
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [1361, 'euc-kr'],
  [10000, 'macintosh'],
  [10007, 'x-mac-cyrillic'],
  [20127, 'windows-1252'],
  [20866, 'koi8-r'],
  [21866, 'koi8-u'],
  [32768, 'macintosh'],
  [32769, 'windows-1252'],
  [51932, 'euc-jp'],
  [54936, 'gb18030'],
  [65001, 'utf-8'],
])

export type Decode = (bytes: Uint8Array) => string

/** Decodes 8-bit text of a code page; unknown ones are read as Western European. */
export function decoderOf(codePage: number): Decode {
  const name =
    NAMES.get(codePage) ??
    (codePage >= 28591 && codePage <= 28606 ? `iso-8859-${codePage - 28590}` : `windows-${codePage}`)
  try {
    const decoder = new TextDecoder(name)
    return (bytes) => decoder.decode(bytes)
  } catch {
    return decoderOf(1252)
  }
}
