import type { View } from '../view.ts'
import {
  attribute,
  childOf,
  isElement,
  type StorageElement,
  type StorageNode,
  textOf,
} from './storage-tree.ts'

/** A macro as stored. */
export interface StoredMacro {
  name: string
  id: string | undefined
  parameters: Map<string, StorageElement>
  rich: StorageNode[] | undefined
  plain: string | undefined
}

export type MacroRenderer = (view: View, macro: StoredMacro) => string
export type MacroTable = Record<string, MacroRenderer>

/** Old content uses `ac:macro`, with the first parameter in its own element. */
export function readMacro(element: StorageElement): StoredMacro {
  const parameters = new Map<string, StorageElement>()
  for (const child of element.children) {
    if (!isElement(child)) continue
    if (child.tag === 'ac:default-parameter') parameters.set('', child)
    if (child.tag === 'ac:parameter') parameters.set(attribute(child, 'ac:name') ?? '', child)
  }
  const plain = childOf(element, 'ac:plain-text-body')
  return {
    name: attribute(element, 'ac:name') ?? '',
    id: attribute(element, 'ac:macro-id'),
    parameters,
    rich: childOf(element, 'ac:rich-text-body')?.children,
    plain: plain === undefined ? undefined : textOf(plain.children),
  }
}

/** The plain value of a parameter; '' if missing. */
export const parameterText = ({ parameters }: StoredMacro, name: string): string =>
  textOf(parameters.get(name)?.children ?? []).trim()

export const isParameterOn = (macro: StoredMacro, name: string): boolean =>
  parameterText(macro, name).toLowerCase() === 'true'

export const isMacro =
  (...names: string[]) =>
  (element: StorageElement): boolean =>
    (element.tag === 'ac:structured-macro' || element.tag === 'ac:macro') &&
    names.includes(attribute(element, 'ac:name') ?? '')

const inline = new Set(['status', 'anchor', 'jira', 'profile', 'contributors', 'date'])

/** Macros whose root element gets the macro attributes itself; others get a wrapper. */
const ROOT_WITH_CLASS =
  /^<(div|span) class="((?:confluence-information-macro|expand-container|toc-macro|code panel|preformatted panel|panel|status-macro)\b[^"]*)"/

/** Adds the macro attributes to the root of the output, or to a wrapper. */
export function withMacroAttributes(view: View, macro: StoredMacro, html: string): string {
  if (view.exported || !view.world.settings.macroWrappers) return html
  const hasBody = macro.rich !== undefined || macro.plain !== undefined
  const id =
    view.site === 'cloud' && macro.id !== undefined ? ` data-macro-id="${escapeMarkup(macro.id)}"` : ''
  const attributes = `data-hasbody="${hasBody}" data-macro-name="${escapeMarkup(macro.name)}"${id}`
  const own = ROOT_WITH_CLASS.exec(html)
  const shape = inline.has(macro.name) ? 'inline' : 'block'
  if (own === null) {
    const tag = shape === 'inline' ? 'span' : 'div'
    return `<${tag} class="conf-macro output-${shape}" ${attributes}>${html}</${tag}>`
  }
  return `<${own[1]} class="${own[2]} conf-macro output-${shape}" ${attributes}${html.slice(own[0].length)}`
}

export const escapeMarkup = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
