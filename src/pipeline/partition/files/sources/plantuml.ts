import { refuseTooManyParts } from '../../../limits.ts'
import type { ReadFile } from '../reading-file.ts'
import { decodePlainText } from '../text-content.ts'
import { sourceBlocks } from './source-blocks.ts'
import { type DiagramSource, END, edgeOf, MAX_STATEMENT_LENGTH, plain, unquoted } from './statements.ts'

/** The words of a PlantUML diagram. Its directives, such as `!include`, are not followed. */
export const readPlantuml: ReadFile = async (file) => {
  const source = plantumlSource(decodePlainText(file), file.filename)
  return { blocks: sourceBlocks(source, file.filename), warnings: [] }
}

const SILENT =
  /^(?:'|!|@|hide\b|show\b|scale\b|skinparam\b|left to right|top to bottom|autonumber\b|autoactivate\b|activate\b|deactivate\b|destroy\b|newpage\b|allowmixing\b|start$|stop$|end\b|endif\b|endwhile\b|endfork\b|detach$|kill$|fork\b|split\b|backward\b|repeat$|together\b|sprite\b|[{}]+$|\|\|\||\.\.\.$)/
const KEYWORD =
  /^(?:alt|else|elseif|opt|loop|par|break|critical|group|partition|if|while|repeat while|switch|case|ref over [^:]*:|legend|caption|header|footer|return|\|{1,2}|={2,}|\.{3}|#\w+:|:|[*+#_-]+[:_]?\s)\s*/
const DECLARATION = new RegExp(
  String.raw`^(?:(?:abstract|static)\s+)*(?:(?:create\s+)?(actor|participant|boundary|control|entity|database|collections|queue|` +
    'abstract class|abstract|annotation|class|dataclass|enum|exception|interface|object|map|struct|protocol|state|usecase|component|' +
    'package|namespace|folder|frame|rectangle|node|cloud|card|agent|artifact|storage|hexagon|person|stack|file|label|box)' +
    String.raw`\b\s*)?(${END})?(?:\s+as\s+(${END}))?(?:\s*<<[^<>]*>>)*(?:\s+order\s+\d+)?(?:\s+#[\w:;|.-]+)?\s*(\{)?$`,
  'u',
)
/** A body of such a thing lists its members. */
const HAS_MEMBERS = /class|interface|enum|entity|object|map|struct|protocol|exception|annotation/
const NOTE = /^(?:floating\s+)?[rh]?note\b([^:]*?)(?::\s*(.*))?$/i
const TITLE = /^(?:main)?title\b\s*(.*)$/

function plantumlSource(text: string, filename: string): DiagramSource {
  const source: DiagramSource = { statements: [], names: new Map() }
  const { statements } = source
  let block: OpenBlock | null = null
  const lines = withoutComments(text).split(/\r\n?|\n/)
  for (const raw of lines) {
    refuseTooManyParts(statements.length, filename)
    const line = raw.trim()
    if (block) {
      const isEnd = block.end.test(line)
      const words = plain(isEnd ? line.replace(block.end, '') : line)
      if (words !== '') block.lines.push(words)
      if (!isEnd) continue
      if (block.kind !== 'silent') statements.push({ kind: block.kind, text: block.lines.join('\n') })
      block = null
    } else block = readLine(line, source)
  }
  if (block && block.kind !== 'silent') statements.push({ kind: block.kind, text: block.lines.join('\n') })
  return source
}

/** Between `/'` and `'/`. */
function withoutComments(text: string): string {
  const pieces: string[] = []
  let at = 0
  for (let start = text.indexOf("/'"); start !== -1; start = text.indexOf("/'", at)) {
    const end = text.indexOf("'/", start + 2)
    if (end === -1) break
    pieces.push(text.slice(at, start))
    at = end + 2
  }
  return pieces.join('') + text.slice(at)
}

type OpenBlock = { lines: string[]; end: RegExp; kind: 'text' | 'title' | 'silent' }

/** A block that goes on in the next lines, or null. */
function readLine(line: string, source: DiagramSource): OpenBlock | null {
  const { statements } = source
  const add = (kind: 'text' | 'title', text: string) => {
    if (plain(text) !== '') statements.push({ kind, text: plain(text) })
    return null
  }
  if (line === '') return null
  if (line.length > MAX_STATEMENT_LENGTH) return add('text', line)
  const edge = edgeOf(line.replace(/\s+#\w+$/, ''))
  if (edge) {
    statements.push(edge)
    return null
  }
  if (/^(?:skinparam\b.*|<style>.*)$/i.test(line) && /\{$|^<style>$/i.test(line))
    return { lines: [], end: line.startsWith('<') ? /^<\/style>/i : /^\}/, kind: 'silent' }
  if (SILENT.test(line)) return null
  const title = TITLE.exec(line)
  if (title) return title[1] ? add('title', title[1]) : { lines: [], end: /^end ?title$/, kind: 'title' }
  const note = NOTE.exec(line)
  if (note) return readNote(note, add)
  if (/^(?:legend|header|footer)(?:\s+(?:left|right|center|top|bottom))*$/.test(line))
    return { lines: [], end: /^end ?(?:legend|header|footer)$/, kind: 'text' }
  const declared = readDeclaration(line, source)
  if (declared !== undefined) return declared
  // An activity may have several lines, up to its semicolon.
  if (/^(?:#\w+)?:/.test(line) && !/[;|<>/\]}]$/.test(line))
    return { lines: [plain(line.replace(/^[^:]*:/, ''))], end: /[;|<>/\]}]$/, kind: 'text' }
  return add('text', words(line))
}

function readNote(note: RegExpExecArray, add: (kind: 'text', text: string) => null): OpenBlock | null {
  const [, head = '', text] = note
  const quoted = /"([^"]*)"/.exec(head)?.[1]
  if (text !== undefined || quoted !== undefined) return add('text', text ?? quoted ?? '')
  return { lines: [], end: /^end ?[rh]?note$|^\}$/i, kind: 'text' }
}

/** Undefined if the line declares nothing. */
function readDeclaration(line: string, { statements, names }: DiagramSource): OpenBlock | null | undefined {
  const found = DECLARATION.exec(line)
  if (!found) return undefined
  const [, keyword = '', first = '', second = '', opens] = found
  if (first === '' || (keyword === '' && !second && !/^[[(:]/.test(first))) return undefined
  // The quoted one of both is shown.
  const isFirstShown = second === '' || !/^["[(:]/.test(second)
  const [name, id] = isFirstShown ? [first, second || first] : [second, first]
  names.set(unquoted(id), unquoted(name))
  if (!opens || !HAS_MEMBERS.test(keyword)) {
    statements.push({ kind: 'node', id: unquoted(id) })
    return null
  }
  return { lines: [unquoted(name)], end: /^\}$/, kind: 'text' }
}

/** A line of an activity, mind map or group without its signs. */
function words(line: string): string {
  return line
    .replace(KEYWORD, '')
    .replaceAll(/\b(?:then|is|not|equals)\s*(?=\()/g, '')
    .replaceAll(/[()]/g, ' ')
    .replace(/[;|]$|\s*={2,}$|\.{3}$|\s*\{$/, '')
    .replace(/^\[([^\]]*)\]/, '$1')
}
