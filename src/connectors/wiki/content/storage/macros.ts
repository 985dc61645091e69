/**
 * How a macro is rendered:
 * - `rich`: title and rich-text body are kept.
 * - `code`, `markdown`, `html`: the plain body is kept.
 * - `label`: only a visible parameter is kept.
 * - `foreign`: content of other pages or systems is dropped.
 * - `conditional`: dropped, because only some readers see it.
 * - `silent`: it has no text.
 */
export type MacroKind =
  | 'rich'
  | 'code'
  | 'markdown'
  | 'html'
  | 'label'
  | 'foreign'
  | 'conditional'
  | 'silent'
  | 'unknown'

export type MacroRule = {
  kind: MacroKind
  /** Visible parameters; the first one present counts. */
  visibleParameters: readonly string[]
  /** `hidden=true` hides its body from every reader. */
  hideable?: true
}

/** An unknown macro keeps its rich-text body, but may have shown other pages. */
const UNKNOWN: MacroRule = { kind: 'unknown', visibleParameters: [] }

export function macroRule(name: string): MacroRule {
  return MACROS.get(name) ?? (name.startsWith('scroll-') ? SCROLL : UNKNOWN)
}

const SCROLL: MacroRule = { kind: 'rich', visibleParameters: [] }

type Rows = readonly (readonly [names: string, macro: MacroRule])[]

const ROWS: Rows = [
  ['info tip note warning panel chart', { kind: 'rich', visibleParameters: ['title'] }],
  // Old pages have the title as the default parameter.
  ['expand', { kind: 'rich', visibleParameters: ['title', ''] }],
  ['section column toc-zone multiexcerpt multiexcerpt-macro', { kind: 'rich', visibleParameters: [] }],
  ['excerpt details', { kind: 'rich', visibleParameters: [], hideable: true }],
  ['code noformat', { kind: 'code', visibleParameters: ['title'] }],
  ['mermaid mermaid-macro mermaid-cloud plantuml plantumlrender', { kind: 'code', visibleParameters: [] }],
  ['unmigrated-wiki-markup unmigrated-inline-wiki-markup', { kind: 'code', visibleParameters: [] }],
  ['markdown markdown-macro', { kind: 'markdown', visibleParameters: [] }],
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
  ['show-if hide-if', { kind: 'conditional', visibleParameters: [] }],
  ['toc anchor', { kind: 'silent', visibleParameters: [] }],
]

const MACROS = new Map(ROWS.flatMap(([names, macro]) => names.split(' ').map((name) => [name, macro])))
