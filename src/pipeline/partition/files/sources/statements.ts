import { type Arrow, arrowOf } from '../drawings/drawing.ts'

/** What a line of a diagram's source says. Ends of an edge are ids, which `names` may label. */
export type DiagramStatement =
  | { kind: 'title' | 'text'; text: string }
  | { kind: 'node'; id: string }
  | { kind: 'edge'; from: string; to: string; text: string; arrow: Arrow }

export type DiagramSource = { statements: DiagramStatement[]; names: Map<string, string> }

/** Longer lines are text: patterns need too long for them. */
export const MAX_STATEMENT_LENGTH = 500

/** A dot is part of a line too, so only single ones inside a word are tried. */
const WORD = String.raw`[\p{L}\p{N}_@$]+(?:[.-][\p{L}\p{N}_@$]+)*`
export const END = String.raw`"[^"]+"|\[\*\]|\[[^\][]+\]|\([^()]+\)|:[^:]+:|${WORD}`
const HEAD = String.raw`(?:[<*+#^}{|/\\]|(?<=[\s}|])[ox])*`
const TAIL = String.raw`(?:[>*+#^}{|/\\)]|[ox](?=[\s{|]))*`
const LINE = String.raw`[-.=~]+(?:\[[^\]]*\][-.=~]*|(?:left|right|up|down|[lrud])[-.=~]+)?`
const EDGE = new RegExp(
  String.raw`^(${END})\s*(?:"([^"]*)"\s*)?(${HEAD})${LINE}(${TAIL})\s*[-+]?(?:"([^"]*)"\s*)?(${END})\s*(?::\s*(.*))?$`,
  'u',
)

/** `A -> B : label`, with any of the arrows of both languages. */
export function edgeOf(line: string): Extract<DiagramStatement, { kind: 'edge' }> | null {
  const found = EDGE.exec(line)
  if (!found) return null
  const [, from = '', near = '', head = '', tail = '', far = '', to = '', label = ''] = found
  const arrow = arrowOf({ start: /</.test(head), end: /[>x)/\\]/.test(tail) })
  const text = [label, near, far].map(plain).filter((part) => part !== '')
  return { kind: 'edge', from: unquoted(from), to: unquoted(to), text: text.join(', '), arrow }
}

/** Without quotes and the brackets that draw a shape. */
export function unquoted(end: string): string {
  if (end === '[*]') return '●'
  return plain(end.replace(/^(?:"([\s\S]*)"|\[([\s\S]*)\]|\(([\s\S]*)\)|:([\s\S]*):)$/u, '$1$2$3$4'))
}

/** A label without its markup. */
export function plain(text: string): string {
  return text
    .replaceAll(/<br\s*\/?>|\\n/gi, ' ')
    .replaceAll(/<\/?[a-z&$#][^<>]{0,100}>/gi, '')
    .replaceAll(/\*\*|["`]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
