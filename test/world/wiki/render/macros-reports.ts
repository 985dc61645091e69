import type { ContentNode } from '../model/model.ts'
import { parseCql } from '../search/cql.ts'
import { isVisible, renderChildren, type View } from '../view.ts'
import {
  escapeMarkup,
  isMacro,
  isParameterOn,
  type MacroRenderer,
  type MacroTable,
  parameterText,
  readMacro,
  type StoredMacro,
} from './macro.ts'
import { findExcerpt } from './macros-include.ts'
import { pagesOf } from './macros-lists.ts'
import { pageLink, renderMention } from './render-links.ts'
import { childOf, childrenNamed, findAll, parseStorage, type StorageElement, textOf } from './storage-tree.ts'

/** Reports: query results among pages the viewer may read. */
function reportPages(view: View, macro: StoredMacro): ContentNode[] {
  const cql = parameterText(macro, 'cql')
  if (cql !== '') return byCql(view, cql)
  const labels = (parameterText(macro, 'labels') || parameterText(macro, 'label'))
    .split(/[\s,]+/)
    .filter((each) => each !== '')
  return pagesOf(view, macro).filter((node) => labels.some((label) => node.labels.includes(label)))
}

/** An invalid query finds nothing. */
function byCql(view: View, cql: string): ContentNode[] {
  const { world, site, account, page } = view
  const key = world.spaces.get(page.spaceId)?.key ?? ''
  const text = cql.replaceAll('currentSpace()', `"${key}"`).replaceAll('currentContent()', page.id)
  try {
    const { accountId, timeZoneMinutes } = account
    const query = parseCql(text, { world, site, accountId, timeZoneMinutes })
    const nodes = [...world.nodes.values()].filter(
      (node) => node.kind !== 'folder' && isVisible(view, node) && query.matches(node),
    )
    return query.compare === undefined ? nodes : nodes.sort(query.compare)
  } catch {
    return []
  }
}

const contentByLabel: MacroRenderer = (view, macro) => {
  const withExcerpt = isParameterOn(macro, 'showExcerpt') || isParameterOn(macro, 'excerpt')
  const items = reportPages(view, macro)
    .slice(0, Number(parameterText(macro, 'max')) || 15)
    .map((node) => {
      const pieces = withExcerpt ? findExcerpt(node) : undefined
      const text = pieces === undefined ? '' : ` ${excerpt(view, node, pieces)}`
      return `<li>${pageLink(view, node)}${text}</li>`
    })
  return `<ul class="content-by-label">${items.join('')}</ul>`
}

function excerpt(view: View, node: ContentNode, pieces: NonNullable<ReturnType<typeof findExcerpt>>): string {
  const key = `${node.id}#`
  if (view.chain.includes(key)) return ''
  return renderChildren({ ...view, page: node, chain: [...view.chain, key] }, pieces)
}

interface Properties {
  node: ContentNode
  cells: Map<string, string>
}

/** Page properties of each page, hidden ones included. */
const detailsSummary: MacroRenderer = (view, macro) => {
  const id = parameterText(macro, 'id')
  const rows = reportPages(view, macro).flatMap((node): Properties[] => {
    const own = findAll(parseStorage(node.body.storage), isMacro('details'))
      .map(readMacro)
      .filter((each) => id === '' || parameterText(each, 'id') === id)
    const key = `${node.id}#details`
    if (own.length === 0 || view.chain.includes(key)) return []
    const pageView = { ...view, page: node, chain: [...view.chain, key] }
    const cells = own.flatMap(({ rich = [] }) =>
      findAll(rich, ({ tag }) => tag === 'tr').flatMap((row) => property(pageView, row)),
    )
    return [{ node, cells: new Map(cells) }]
  })
  const wanted = parameterText(macro, 'headings')
  const keys =
    wanted === ''
      ? [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))]
      : wanted.split(',').map((each) => each.trim())
  const head = ['Title', ...keys].map((each) => `<th class="confluenceTh">${escapeMarkup(each)}</th>`)
  const body = rows.map(({ node, cells }) => {
    const values = keys.map((each) => `<td class="confluenceTd">${cells.get(each) ?? ''}</td>`)
    return `<tr><td class="confluenceTd">${pageLink(view, node)}</td>${values.join('')}</tr>`
  })
  return `<div class="table-wrap"><table class="metadata-summary-macro aui confluenceTable" data-cql="${escapeMarkup(parameterText(macro, 'cql'))}"><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}

function property(view: View, row: StorageElement): [string, string][] {
  const [key, value] = [...childrenNamed(row, 'th'), ...childrenNamed(row, 'td')]
  if (key === undefined || value === undefined) return []
  return [[textOf(key.children).trim(), renderChildren(view, value.children)]]
}

const reportTable: MacroRenderer = (view, macro) => {
  const rows = reportPages(view, macro).map(
    (node) =>
      `<tr><td class="confluenceTd">${pageLink(view, node)}</td><td class="confluenceTd">${renderMention(view, view.world.people.get(node.authorId))}</td><td class="confluenceTd">${node.version.when.slice(0, 10)}</td></tr>`,
  )
  return `<div class="table-wrap"><table class="content-report-table-macro aui confluenceTable"><thead><tr><th class="confluenceTh">Title</th><th class="confluenceTh">Creator</th><th class="confluenceTh">Modified</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

/** Open tasks, unless `status` says complete. */
const tasksReport: MacroRenderer = (view, macro) => {
  const wanted = parameterText(macro, 'status') === 'complete' ? 'complete' : 'incomplete'
  const rows = pagesOf(view, macro).flatMap((node) => {
    const key = `${node.id}#tasks`
    if (view.chain.includes(key)) return []
    const pageView = { ...view, page: node, chain: [...view.chain, key] }
    const tasks = findAll(parseStorage(node.body.storage), ({ tag }) => tag === 'ac:task')
    return tasks
      .filter((task) => textOf(childOf(task, 'ac:task-status')?.children ?? []).trim() === wanted)
      .map(
        (task) =>
          `<tr><td class="confluenceTd">${renderChildren(pageView, childOf(task, 'ac:task-body')?.children ?? [])}</td><td class="confluenceTd">${pageLink(view, node)}</td></tr>`,
      )
  })
  const limit = Number(parameterText(macro, 'pageSize')) || 20
  return `<div class="table-wrap"><table class="tasks-report aui confluenceTable"><thead><tr><th class="confluenceTh">Task</th><th class="confluenceTh">Task appears on</th></tr></thead><tbody>${rows.slice(0, limit).join('')}</tbody></table></div>`
}

const decisionReport: MacroRenderer = (view, macro) => {
  const items = pagesOf(view, macro).flatMap((node) =>
    findAll(
      parseStorage(node.body.storage),
      ({ tag, attributes }) => tag === 'ac:adf-node' && attributes.type === 'decision-item',
    ).map((item) => {
      const content = childOf(item, 'ac:adf-content')?.children ?? []
      return `<li>${escapeMarkup(textOf(content))} ${pageLink(view, node)}</li>`
    }),
  )
  return `<ul class="decision-report">${items.slice(0, 20).join('')}</ul>`
}

export const reportMacros: MacroTable = {
  contentbylabel: contentByLabel,
  detailssummary: detailsSummary,
  'content-report-table': reportTable,
  'tasks-report-macro': tasksReport,
  decisionreport: decisionReport,
}
