import type { ContentNode } from '../model/model.ts'
import { isVisible, pageInParameter, renderChildren, type View } from '../view.ts'
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
import { findAll, parseStorage, type StorageNode } from './storage-tree.ts'

/** Text of other pages. An unreadable page looks like a missing one. */
const maxIncludes = 20

const renderError = (name: string, why: string): string =>
  `<div class="error"><span class="error">Unable to render {${name}}</span> ${why}</div>`

const notFound = (name: string): string => renderError(name, 'The included page could not be found.')

function targetOf(view: View, macro: StoredMacro, ...names: string[]): ContentNode | undefined {
  for (const name of names) {
    const found = pageInParameter(view, macro.parameters.get(name))
    if (found !== undefined) return isVisible(view, found) ? found : undefined
  }
  return undefined
}

/** Links, files and lists resolve against the included page. */
function renderIncluded(
  view: View,
  {
    node,
    key,
    pieces,
    name,
  }: { node: ContentNode; key: string; pieces: readonly StorageNode[]; name: string },
): string {
  if (view.chain.includes(key) || view.chain.length >= maxIncludes)
    return renderError(name, 'The page is included already.')
  return renderChildren({ ...view, page: node, chain: [...view.chain, key] }, pieces)
}

const include: MacroRenderer = (view, macro) => {
  const node = targetOf(view, macro, '', 'page', 'pageTitle')
  if (node === undefined) return notFound(macro.name)
  return renderIncluded(view, {
    node,
    key: node.id,
    pieces: parseStorage(node.body.storage),
    name: macro.name,
  })
}

/** The named excerpt, or the first; includes hidden ones. */
export function findExcerpt(node: ContentNode, name = ''): readonly StorageNode[] | undefined {
  const found = findAll(parseStorage(node.body.storage), isMacro('excerpt')).map(readMacro)
  const chosen = name === '' ? found[0] : found.find((each) => parameterText(each, 'name') === name)
  return chosen?.rich
}

const excerptInclude: MacroRenderer = (view, macro) => {
  const node = targetOf(view, macro, '', 'page', 'pageTitle')
  if (node === undefined) return notFound(macro.name)
  const name = parameterText(macro, 'name')
  const pieces = findExcerpt(node, name)
  if (pieces === undefined) return renderError(macro.name, 'The included page has no such excerpt.')
  const text = renderIncluded(view, { node, key: `${node.id}#${name}`, pieces, name: macro.name })
  if (isParameterOn(macro, 'nopanel')) return text
  return `<div class="panel" style="border-width: 1px;"><div class="panelHeader"><b>${escapeMarkup(node.title)}</b></div><div class="panelContent">${text}</div></div>`
}

const multiName = (macro: StoredMacro): string =>
  parameterText(macro, 'MultiExcerptName') || parameterText(macro, 'name')

const multiexcerptInclude: MacroRenderer = (view, macro) => {
  const node = targetOf(view, macro, 'PageWithExcerpt', 'page', '')
  if (node === undefined) return notFound(macro.name)
  const name = multiName(macro)
  const pieces = findAll(parseStorage(node.body.storage), isMacro('multiexcerpt'))
    .map(readMacro)
    .find((each) => multiName(each) === name)?.rich
  if (pieces === undefined) return renderError(macro.name, 'The included page has no such excerpt.')
  return renderIncluded(view, { node, key: `${node.id}#multi#${name}`, pieces, name: macro.name })
}

export const includeMacros: MacroTable = {
  include,
  'excerpt-include': excerptInclude,
  'multiexcerpt-include': multiexcerptInclude,
  'multiexcerpt-include-macro': multiexcerptInclude,
}
