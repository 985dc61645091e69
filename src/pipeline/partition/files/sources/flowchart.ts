import { arrowOf } from '../drawings/drawing.ts'
import { type DiagramSource, plain } from './statements.ts'

const ID = /\s*([\p{L}\p{N}_][\p{L}\p{N}_.]*(?:-[\p{L}\p{N}_.]+)*)/uy
const LABEL =
  /(?:\(\(\(|\(\(|\(\[|\[\[|\[\(|\[[/\\]|\{\{|[[({>])\s*(?:"([^"]*)"|([^\])}"]*))\s*(?:\)\)\)|\]\]|\)\]|[/\\]\]|\)\)|\]\)|\}\}|[\])}])/y
const SHAPE = /@\{([^}]*)\}/y
const CLASS = /:::[\w-]+/y
/** `-- text -->`, `-. text .->`, `== text ==>` */
const WORDED = /\s*(<?)(?:--|==|-\.)\s+((?!--|==|\.-)\S(?:(?!--|==|\.-).)*?)\s*(?:--+|==+|\.+-)([>xo]?)/y
const ARROW = /\s*(?:([<xo]?)(?:--+|==+|-\.+-)([>xo]?)|~~~)\s*(?:\|([^|]*)\|)?/y

/** Of one arrow: `A & B --> C & D` has four. */
const MAX_EDGES = 10_000

/** `A[Start] -->|yes| B & C --> D`; false if the line is something else. */
export function readFlowLine(line: string, { statements, names }: DiagramSource): boolean {
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(line)
    if (found) at = pattern.lastIndex
    return found
  }
  const node = () => {
    const id = take(ID)?.[1]
    if (id === undefined) return null
    const label = take(LABEL)
    const given = label ? (label[1] ?? label[2]) : /label:\s*"([^"]*)"/.exec(take(SHAPE)?.[1] ?? '')?.[1]
    take(CLASS)
    return { id, name: given === undefined ? null : plain(given) }
  }
  const nodes = () => {
    const found: { id: string; name: string | null }[] = []
    for (let each = node(); each; each = take(/\s*&/y) ? node() : null) found.push(each)
    return found
  }
  let from = nodes()
  const read = [...from]
  const edges: typeof statements = []
  while (from.length > 0 && at < line.length) {
    const worded = take(WORDED)
    const found = worded ?? take(ARROW)
    if (!found) break
    const [, head = '', second = '', third = ''] = found
    const [text, tail] = worded ? [second, third] : [third, second]
    const to = nodes()
    if (to.length === 0 || from.length * to.length > MAX_EDGES) return false
    for (const a of from)
      for (const b of to)
        edges.push({
          kind: 'edge',
          from: a.id,
          to: b.id,
          text: plain(text),
          arrow: arrowOf({ start: head === '<', end: tail !== '' }),
        })
    read.push(...to)
    from = to
  }
  const isWhole = /^\s*;?\s*$/.test(line.slice(at))
  if (read.length === 0 || !isWhole || (edges.length === 0 && read.every(({ name }) => name === null)))
    return false
  for (const { id, name } of read) {
    if (name !== null) names.set(id, name)
    statements.push({ kind: 'node', id })
  }
  for (const edge of edges) statements.push(edge)
  return true
}
