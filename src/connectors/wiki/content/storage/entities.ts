import { Tokenizer } from 'htmlparser2'

/** Text of storage with its entities as characters. Unknown entities stay as they are written. */
export function decoded(written: string): string {
  if (!written.includes('&')) return written
  const pieces: string[] = []
  const text = written.replaceAll('<', '&lt;')
  const tokenizer = new Tokenizer(
    {},
    {
      ...UNHEARD,
      ontext: (start, end) => pieces.push(text.slice(start, end)),
      ontextentity: (code) => pieces.push(String.fromCodePoint(code)),
    },
  )
  tokenizer.write(text)
  tokenizer.end()
  return pieces.join('')
}

const ignore = () => {}
/** Ignores all that a tokenizer reports. */
export const UNHEARD = {
  ontext: ignore,
  ontextentity: ignore,
  onattribdata: ignore,
  onattribentity: ignore,
  onattribend: ignore,
  onattribname: ignore,
  oncdata: ignore,
  onclosetag: ignore,
  oncomment: ignore,
  ondeclaration: ignore,
  onend: ignore,
  onopentagend: ignore,
  onopentagname: ignore,
  onprocessinginstruction: ignore,
  onselfclosingtag: ignore,
  isInForeignContext: () => false,
}

/** Characters as text of HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A value for a quoted attribute, from one that is written with entities already. */
export function quoted(written: string): string {
  return written.replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
