import { type Document, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml'

export type Problem = { line: number; message: string }
export type Path = (string | number)[]
export type YamlReader = ReturnType<typeof yamlReader>

/** Reads a document value by value and collects errors by line. */
export function yamlReader(document: Document, lines: LineCounter) {
  const problems: Problem[] = []
  /** The line of a value, or of its nearest parent. */
  const lineAt = (path: Path): number => {
    for (let length = path.length; length >= 0; length--) {
      const offset = offsetOf(document, path.slice(0, length))
      if (offset !== undefined) return lines.linePos(offset).line
    }
    return 1
  }
  return {
    problems,
    lineAt,
    report: (path: Path, message: string) => problems.push({ line: lineAt(path), message }),
    value: (path: Path): unknown => {
      const value: unknown = document.getIn(path)
      return isMap(value) || isSeq(value) ? (value as Node).toJS(document, { maxAliasCount: 0 }) : value
    },
  }
}

/** For a map entry, the line of its key, not of its value. */
function offsetOf(document: Document, path: Path): number | undefined {
  const parent: unknown = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents
  const last = path.at(-1)
  if (isMap(parent) && last !== undefined) {
    const pair = parent.items.find(({ key }) => isScalar(key) && key.value === last)
    return isScalar(pair?.key) ? pair.key.range?.[0] : undefined
  }
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true)
  return (node as Node | undefined)?.range?.[0]
}

export function byLine(problems: Problem[]): Problem[] {
  return problems.toSorted((one, other) => one.line - other.line)
}
