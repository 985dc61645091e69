import { refuseTooManyParts } from '../../../limits.ts'
import type { ReadFile } from '../reading-file.ts'
import { decodePlainText } from '../text-content.ts'
import { readFlowLine } from './flowchart.ts'
import { sourceBlocks } from './source-blocks.ts'
import { type DiagramSource, edgeOf, MAX_STATEMENT_LENGTH, plain } from './statements.ts'

/** The words of a Mermaid diagram, without its syntax. */
export const readMermaid: ReadFile = async (file) => {
  const source = mermaidSource(decodePlainText(file), file.filename)
  return { blocks: sourceBlocks(source, file.filename), warnings: [] }
}

const SILENT =
  /^(?:classDef|style|linkStyle|click|direction|autonumber|activate|deactivate|dateFormat|axisFormat|tickInterval|todayMarker|excludes|end|rect|cssClass|callback|link|[{}]|---)(?:\s|$)|^(?:config|theme|look|layout):|^[{}]+$/
const KEYWORD =
  /^(?:subgraph|section|loop|alt|else|opt|par|and|critical|option|break|box|namespace|commit|branch|checkout|merge)\b\s*/

function mermaidSource(text: string, filename: string): DiagramSource {
  const source: DiagramSource = { statements: [], names: new Map() }
  const [first = '', ...lines] = withoutComments(text)
  const diagram = /^\s*(\w+)/.exec(first)?.[1] ?? ''
  const isFlow = /^(?:graph|flowchart|block|mindmap)/.test(diagram)
  const heading = /^\s*\w+\s+(?:showData\s+)?title\s+(.+)$/.exec(first)?.[1]
  if (heading) source.statements.push({ kind: 'title', text: plain(heading) })
  for (const line of lines.flatMap((each) => (isFlow ? each.split(/;(?=\s|$)/) : [each]))) {
    readLine(line.trim(), { source, isFlow })
    refuseTooManyParts(source.statements.length, filename)
  }
  return source
}

/** A title in the front matter stays as a line after the first. */
function withoutComments(text: string): string[] {
  const front = /^\ufeff?\s*---\r?\n([\s\S]{0,5000}?)\n---[ \t]*\r?\n/.exec(text)
  const title = /^title:\s*(.+)$/m.exec(front?.[1] ?? '')?.[1]
  const lines = text
    .slice(front?.[0].length ?? 0)
    .replace(/^\ufeff/, '')
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('%%'))
  return title ? [lines[0] ?? '', `title ${title}`, ...lines.slice(1)] : lines
}

function readLine(line: string, { source, isFlow }: { source: DiagramSource; isFlow: boolean }): void {
  const { statements } = source
  if (line.length > MAX_STATEMENT_LENGTH) {
    statements.push({ kind: 'text', text: plain(line) })
    return
  }
  const title = /^(?:title|accTitle:)\s+(.+)$/.exec(line)?.[1]
  const alias = /^(?:create\s+)?(?:participant|actor)\s+(\S+)(?:\s+as\s+(.+))?$/.exec(line)
  const state = /^state\s+"([^"]*)"\s+as\s+(\S+)/.exec(line)
  const member = /^(?:class|state)\s+([^\s{["~]+)(?:~[^~]*~)?(?:\["([^"]*)"\])?\s*\{?$/.exec(line)
  const note = /^note\b[^:"]*(?::\s*|")(.*)$/i.exec(line)
  const edge = isFlow ? null : edgeOf(line)
  if (edge) statements.push(edge)
  else if (title) statements.push({ kind: 'title', text: plain(title) })
  else if (alias) declare(source, alias[1] ?? '', alias[2])
  else if (state) declare(source, state[2] ?? '', state[1])
  else if (member && !isFlow) declare(source, member[1] ?? '', member[2])
  else if (note) statements.push({ kind: 'text', text: plain(note[1] ?? '') })
  else if (SILENT.test(line) || (isFlow && /^class\s/.test(line))) return
  else if (isFlow && !KEYWORD.test(line) && readFlowLine(line, source)) return
  else {
    const words = line.replace(KEYWORD, '').replace(/\s*\{$/, '')
    const label = /^[^\s[\]]+\s*\[(.+)\]$/.exec(words)?.[1] ?? words
    statements.push({ kind: 'text', text: plain(label) })
  }
}

function declare({ statements, names }: DiagramSource, id: string, name: string | undefined): void {
  if (name) names.set(id, plain(name))
  statements.push({ kind: 'node', id })
}
