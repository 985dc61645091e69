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
  shows: readonly string[]
  /** `hidden=true` hides its body from every reader. */
  hideable?: true
}

/** An unknown macro keeps its rich-text body, but may have shown other pages. */
const UNKNOWN: MacroRule = { kind: 'unknown', shows: [] }

export function macroRule(name: string): MacroRule {
  return MACROS.get(name) ?? (name.startsWith('scroll-') ? SCROLL : UNKNOWN)
}

const SCROLL: MacroRule = { kind: 'rich', shows: [] }

type Rows = readonly (readonly [names: string, macro: MacroRule])[]

const ROWS: Rows = [
  ['info tip note warning panel chart', { kind: 'rich', shows: ['title'] }],
  // Old pages have the title as the default parameter.
  ['expand', { kind: 'rich', shows: ['title', ''] }],
  ['section column toc-zone multiexcerpt multiexcerpt-macro', { kind: 'rich', shows: [] }],
  ['excerpt details', { kind: 'rich', shows: [], hideable: true }],
  ['code noformat', { kind: 'code', shows: ['title'] }],
  ['mermaid mermaid-macro mermaid-cloud plantuml plantumlrender', { kind: 'code', shows: [] }],
  ['unmigrated-wiki-markup unmigrated-inline-wiki-markup', { kind: 'code', shows: [] }],
  ['markdown markdown-macro', { kind: 'markdown', shows: [] }],
  ['html html-bobswift', { kind: 'html', shows: [] }],
  ['status roadmap', { kind: 'label', shows: ['title'] }],
  ['view-file viewpdf viewdoc viewxls viewppt multimedia', { kind: 'label', shows: ['name'] }],
  ['drawio drawio-sketch', { kind: 'label', shows: ['diagramDisplayName', 'diagramName'] }],
  ['gliffy', { kind: 'label', shows: ['displayName', 'name'] }],
  ['lucidchart', { kind: 'label', shows: ['title', 'name'] }],
  ['widget iframe', { kind: 'label', shows: ['url', 'src'] }],
  ['jira jiraissues', { kind: 'foreign', shows: ['key'] }],
  [
    'include excerpt-include multiexcerpt-include multiexcerpt-include-macro inc-drawio html-include rss ' +
      'children pagetree pagetreesearch contentbylabel detailssummary content-report-table ' +
      'tasks-report-macro decisionreport recently-updated blog-posts listlabels livesearch ' +
      'space-attachments index profile userlister contributors change-history jirachart attachments gallery',
    { kind: 'foreign', shows: [] },
  ],
  ['show-if hide-if', { kind: 'conditional', shows: [] }],
  ['toc anchor', { kind: 'silent', shows: [] }],
]

const MACROS = new Map(ROWS.flatMap(([names, macro]) => names.split(' ').map((name) => [name, macro])))
