import { renderChildren, type View } from '../view.ts'
import {
  escapeMarkup,
  isParameterOn,
  type MacroRenderer,
  type MacroTable,
  parameterText,
  type StoredMacro,
} from './macro.ts'
import { findAll, parseStorage, textOf } from './storage-tree.ts'

/** Macros that show the page's own text. */
const body = (view: View, { rich = [] }: StoredMacro): string => renderChildren(view, rich)

const information =
  (name: string): MacroRenderer =>
  (view, macro) =>
    `<div class="confluence-information-macro confluence-information-macro-${name}">${titleOf(macro, 'p', 'title')}<span class="aui-icon aui-icon-small confluence-information-macro-icon"></span><div class="confluence-information-macro-body">${body(view, macro)}</div></div>`

const titleOf = (macro: StoredMacro, tag: string, className: string): string => {
  const title = parameterText(macro, 'title')
  return title === '' ? '' : `<${tag} class="${className}">${escapeMarkup(title)}</${tag}>`
}

const panel: MacroRenderer = (view, macro) => {
  const title = parameterText(macro, 'title')
  const head = title === '' ? '' : `<div class="panelHeader"><b>${escapeMarkup(title)}</b></div>`
  return `<div class="panel" style="border-width: 1px;">${head}<div class="panelContent">${body(view, macro)}</div></div>`
}

const code: MacroRenderer = (_, macro) => {
  const title = parameterText(macro, 'title')
  const head =
    title === '' ? '' : `<div class="codeHeader panelHeader pdl"><b>${escapeMarkup(title)}</b></div>`
  const language = escapeMarkup(parameterText(macro, 'language') || 'java')
  return `<div class="code panel pdl" style="border-width: 1px;">${head}<div class="codeContent panelContent pdl">\n<pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: ${language}; gutter: false; theme: Confluence" data-theme="Confluence">${escapeMarkup(macro.plain ?? '')}</pre>\n</div></div>`
}

const noformat: MacroRenderer = (_, macro) => {
  const title = parameterText(macro, 'title')
  const head =
    title === '' ? '' : `<div class="preformattedHeader panelHeader"><b>${escapeMarkup(title)}</b></div>`
  return `<div class="preformatted panel">${head}<div class="preformattedContent panelContent">\n<pre>${escapeMarkup(macro.plain ?? '')}</pre>\n</div></div>`
}

const expand: MacroRenderer = (view, macro) =>
  `<div class="expand-container"><div class="expand-control" aria-expanded="true"><span class="expand-icon aui-icon aui-icon-small aui-iconfont-chevron-right">&nbsp;</span><span class="expand-control-text">${escapeMarkup(parameterText(macro, 'title') || 'Click here to expand...')}</span></div><div class="expand-content expand-hidden">${body(view, macro)}</div></div>`

const lozenges: Record<string, string> = {
  green: 'success',
  yellow: 'current',
  red: 'error',
  blue: 'complete',
}

const status: MacroRenderer = (_, macro) => {
  const colour =
    lozenges[(parameterText(macro, 'colour') || parameterText(macro, 'color')).toLowerCase()] ?? 'default'
  return `<span class="status-macro aui-lozenge aui-lozenge-visual-refresh aui-lozenge-${colour}">${escapeMarkup(parameterText(macro, 'title'))}</span>`
}

/** A hidden macro shows its body only on other pages that include it. */
const unlessHidden =
  (className: string): MacroRenderer =>
  (view, macro) =>
    isParameterOn(macro, 'hidden') ? '' : `<div class="${className}">${body(view, macro)}</div>`

/** The browser fills it in; an export contains the headings. */
const toc: MacroRenderer = (view) => {
  if (!view.exported)
    return '<div class="toc-macro client-side-toc-macro" data-headerelements="H1,H2,H3"></div>'
  const headings = findAll(parseStorage(view.page.body.storage), ({ tag }) => /^h[1-6]$/.test(tag))
  return `<ul class="toc-indentation">${headings.map((each) => `<li>${escapeMarkup(textOf(each.children))}</li>`).join('')}</ul>`
}

const boxed =
  (className: string): MacroRenderer =>
  (view, macro) =>
    `<div class="${className}">${body(view, macro)}</div>`

const pre =
  (className: string): MacroRenderer =>
  (_, { plain = '' }) =>
    `<pre class="${className}">${escapeMarkup(plain)}</pre>`

const markdown: MacroRenderer = (_, { plain = '' }) => {
  const blocks = plain.split(/\n\s*\n/).filter((block) => block.trim() !== '')
  return `<div class="markdown-body">${blocks.map((block) => `<p>${escapeMarkup(block.trim())}</p>`).join('')}</div>`
}

export const ownMacros: MacroTable = {
  info: information('information'),
  tip: information('tip'),
  note: information('note'),
  warning: information('warning'),
  panel,
  code,
  noformat,
  expand,
  status,
  excerpt: unlessHidden('excerpt'),
  details: unlessHidden('plugin-tabmeta-details'),
  multiexcerpt: unlessHidden('multiexcerpt'),
  toc,
  'toc-zone': boxed('toc-zone'),
  section: boxed('sectionMacro'),
  column: boxed('columnMacro'),
  div: boxed('div-macro'),
  'scroll-ignore': boxed('scroll-ignore'),
  'scroll-only': boxed('scroll-only'),
  'scroll-pagebreak': () => '',
  anchor: (_, macro) =>
    `<span class="confluence-anchor-link" id="${escapeMarkup(parameterText(macro, '') || parameterText(macro, 'name'))}"></span>`,
  markdown,
  mermaid: pre('mermaid'),
  plantuml: pre('plantuml'),
  plantumlcloud: () => '<div class="ap-container"></div>',
  html: (_, { plain = '' }) => plain,
  chart: boxed('chart-macro'),
  roadmap: (_, macro) => `<div class="roadmap-macro-view">${titleOf(macro, 'h3', 'roadmap-title')}</div>`,
}
