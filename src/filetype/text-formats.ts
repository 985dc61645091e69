/** Drawings and captions, which are text and known by their first lines. */
export const MXFILE = 'application/vnd.jgraph.mxfile'
export const EXCALIDRAW = 'application/vnd.excalidraw+json'
export const GLIFFY = 'application/gliffy+json'
export const MERMAID = 'text/vnd.mermaid'
export const PLANTUML = 'text/x-plantuml'
export const SUBRIP = 'application/x-subrip'
export const SBV = 'text/x-sbv'
export const TTML = 'application/ttml+xml'

const TYPES_BY_ROOT = new Map([
  ['mxfile', MXFILE],
  ['mxgraphmodel', MXFILE],
  ['svg', 'image/svg+xml'],
  ['svg:svg', 'image/svg+xml'],
  ['tt', TTML],
  ['tt:tt', TTML],
])

/** By the name of the first tag, in small letters. A `tt` of HTML has no namespace. */
export function formatOfRoot(tag: string, isXml: boolean): string | null {
  const format = TYPES_BY_ROOT.get(tag) ?? null
  return format === TTML && !isXml ? null : format
}

/** Programs may write the keys in another order; then the name decides. */
export function formatOfJson(start: string, name: string): string {
  if (/^\ufeff?\s*\{\s*"type"\s*:\s*"excalidraw"/.test(start) || /\.excalidraw$/i.test(name))
    return EXCALIDRAW
  if (
    /^\ufeff?\s*\{\s*"contentType"\s*:\s*"application\/gliffy\+json"/.test(start) ||
    /\.gliffy$/i.test(name)
  )
    return GLIFFY
  return 'application/json'
}

export function formatOfLines(start: string, name: string): string | null {
  if (SUBRIP_START.test(start)) return SUBRIP
  if (/^\ufeff?\s*\d{1,2}:\d\d:\d\d\.\d{3},\d{1,2}:\d\d:\d\d\.\d{3}[ \t]*\r?\n/.test(start)) return SBV
  if (PLANTUML_START.test(start)) return PLANTUML
  // The same ending means MultiMarkdown.
  if (/\.mmd$/i.test(name)) return MERMAID_START.test(start) ? MERMAID : 'text/markdown'
  return null
}

/** Two times: lines of a log begin with one. */
const SUBRIP_START =
  /^\ufeff?\s*(?:\d+[ \t]*\r?\n)?\d{1,3}:\d\d:\d\d[,.]\d{1,3}[ \t]+-->[ \t]+\d{1,3}:\d\d:\d\d[,.]\d/

/** The diagrams by name: a note may begin with `@startup`. */
const PLANTUML_START = new RegExp(
  '^\\ufeff?\\s*@start(?:uml|mindmap|wbs|gantt|salt|json|yaml|ditaa|dot|math|latex|ebnf|regex|chen|chronology|board|' +
    'git|files|creole|def|hcl|nwdiag|wire|project|flow|tree|bpm)(?:[\\s({]|$)',
)

/** After front matter, directives and comments. */
const MERMAID_START = new RegExp(
  '^\\ufeff?\\s*(?:---\\r?\\n[^]{0,2000}?\\n---\\s*)?(?:%%[^\\n]*\\n\\s*)*' +
    '(?:graph|flowchart|sequenceDiagram|classDiagram|stateDiagram|erDiagram|gantt|pie|journey|mindmap|timeline|gitGraph|' +
    'quadrantChart|requirementDiagram|C4\\w+|zenuml|sankey|xychart|block|packet|kanban|architecture|radar|treemap)' +
    '(?:-v2|-beta)?(?:[\\s:;]|$)',
)

export const TYPES_OF_ENDINGS: readonly [string, string][] = [
  ['vtt', 'text/vtt'],
  ['srt', SUBRIP],
  ['sbv', SBV],
  ['mermaid', MERMAID],
  ...['puml', 'plantuml', 'pu', 'iuml', 'wsd'].map((ending): [string, string] => [ending, PLANTUML]),
]
