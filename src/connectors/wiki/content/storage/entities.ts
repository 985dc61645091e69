import { Tokenizer } from 'htmlparser2'

/** Decodes entities in storage text; unknown ones stay. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  const pieces: string[] = []
  const escaped = text.replaceAll('<', '&lt;')
  const tokenizer = new Tokenizer(
    {},
    {
      ...IGNORE_ALL,
      ontext: (start, end) => pieces.push(escaped.slice(start, end)),
      ontextentity: (code) => pieces.push(String.fromCodePoint(code)),
    },
  )
  tokenizer.write(escaped)
  tokenizer.end()
  return pieces.join('')
}

const ignore = () => {}
/** A handler that ignores all tokens. */
export const IGNORE_ALL = {
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

/** Escapes text for HTML. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Quotes an attribute value that already contains entities. */
export function quoteAttribute(text: string): string {
  return text.replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
