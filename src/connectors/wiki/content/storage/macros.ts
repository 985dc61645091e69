/**
 * How a macro is rendered:
 * - `rich`: title and rich-text body are kept.
 * - `code`, `markdown`, `html`: the plain body is kept.
 * - `wiki-markup`: the plain body is kept without its conditional parts.
 * - `formula`, `formula-block`: the TeX source is kept, in the line or as a block.
 * - `label`: only a visible parameter is kept.
 * - `foreign`: content of other pages or systems is dropped.
 * - `conditional`: dropped, because only some readers see it.
 * - `silent`: it has no text.
 * - `unknown`: a body, which was typed on this page, is kept with its title.
 */
type MacroKind =
  | 'rich'
  | 'code'
  | 'markdown'
  | 'html'
  | 'wiki-markup'
  | 'formula'
  | 'formula-block'
  | 'label'
  | 'foreign'
  | 'conditional'
  | 'silent'
  | 'unknown'

export type MacroRule = {
  kind: MacroKind
  /** Visible parameters; the first one present counts. */
  visibleParameters: readonly string[]
}

/** Tabs and cards of apps show one of these above their body. Without a body, it may show other pages. */
const UNKNOWN: MacroRule = { kind: 'unknown', visibleParameters: ['title', 'label', 'name'] }

export function macroRule(name: string): MacroRule {
  if (CONDITIONAL_NAME.test(name)) return CONDITIONAL
  return MACROS.get(name) ?? (name.startsWith('scroll-') ? SCROLL : UNKNOWN)
}

/** Apps store plain bodies in parameters of their own, which are not read. */
export function appMacroRule(name: string): MacroRule {
  const rule = macroRule(name)
  return PLAIN_KINDS.has(rule.kind) ? UNKNOWN : rule
}

const PLAIN_KINDS: ReadonlySet<MacroKind> = new Set(
  'code markdown html wiki-markup formula formula-block'.split(' ') as MacroKind[],
)
const SCROLL: MacroRule = { kind: 'rich', visibleParameters: [] }
const CONDITIONAL: MacroRule = { kind: 'conditional', visibleParameters: [] }
/** Apps add words to the name, such as `visibility-show-if`. */
const CONDITIONAL_NAME = /(?:^|[^a-z])(?:show|hide)[-_ ]?if(?:[^a-z]|$)/

type Rows = readonly (readonly [names: string, macro: MacroRule])[]

const ROWS: Rows = [
  ['info tip note warning panel chart', { kind: 'rich', visibleParameters: ['title'] }],
  // Old pages have the title as the default parameter.
  ['expand', { kind: 'rich', visibleParameters: ['title', ''] }],
  [
    'section column toc-zone excerpt details multiexcerpt multiexcerpt-macro',
    { kind: 'rich', visibleParameters: [] },
  ],
  ['code noformat', { kind: 'code', visibleParameters: ['title'] }],
  ['mermaid mermaid-macro mermaid-cloud plantuml plantumlrender', { kind: 'code', visibleParameters: [] }],
  ['unmigrated-wiki-markup unmigrated-inline-wiki-markup', { kind: 'wiki-markup', visibleParameters: [] }],
  ['markdown markdown-macro', { kind: 'markdown', visibleParameters: [] }],
  ['mathinline', { kind: 'formula', visibleParameters: ['body'] }],
  ['mathblock', { kind: 'formula-block', visibleParameters: ['body'] }],
  ['html html-bobswift', { kind: 'html', visibleParameters: [] }],
  ['status roadmap', { kind: 'label', visibleParameters: ['title'] }],
  ['view-file viewpdf viewdoc viewxls viewppt multimedia', { kind: 'label', visibleParameters: ['name'] }],
  ['drawio drawio-sketch', { kind: 'label', visibleParameters: ['diagramDisplayName', 'diagramName'] }],
  ['gliffy', { kind: 'label', visibleParameters: ['displayName', 'name'] }],
  ['lucidchart', { kind: 'label', visibleParameters: ['title', 'name'] }],
  ['widget iframe', { kind: 'label', visibleParameters: ['url', 'src'] }],
  ['jira jiraissues', { kind: 'foreign', visibleParameters: ['key'] }],
  [
    'include excerpt-include multiexcerpt-include multiexcerpt-include-macro inc-drawio html-include rss ' +
      'children pagetree pagetreesearch contentbylabel detailssummary content-report-table ' +
      'tasks-report-macro decisionreport recently-updated blog-posts listlabels livesearch ' +
      'space-attachments index profile userlister contributors change-history jirachart attachments gallery',
    { kind: 'foreign', visibleParameters: [] },
  ],
  ['show-to hide-from builder-show builder-hide panel-show panel-hide', CONDITIONAL],
  ['toc anchor style css-stylesheet', { kind: 'silent', visibleParameters: [] }],
]

const MACROS = new Map(ROWS.flatMap(([names, macro]) => names.split(' ').map((name) => [name, macro])))
