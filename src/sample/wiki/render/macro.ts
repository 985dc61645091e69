import type { View } from '../view.ts'
import { attribute, childOf, type Element, isElement, type Piece, textOf } from './storage-tree.ts'

/** A macro as stored. */
export interface Macro {
  name: string
  id: string | undefined
  parameters: Map<string, Element>
  rich: Piece[] | undefined
  plain: string | undefined
}

export type MacroRenderer = (view: View, macro: Macro) => string
export type MacroTable = Record<string, MacroRenderer>

/** Old content uses `ac:macro`, with the first parameter in its own element. */
export function readMacro(element: Element): Macro {
  const parameters = new Map<string, Element>()
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
export const word = ({ parameters }: Macro, name: string): string =>
  textOf(parameters.get(name)?.children ?? []).trim()

export const isOn = (macro: Macro, name: string): boolean => word(macro, name).toLowerCase() === 'true'

export const isMacro =
  (...names: string[]) =>
  (element: Element): boolean =>
    (element.tag === 'ac:structured-macro' || element.tag === 'ac:macro') &&
    names.includes(attribute(element, 'ac:name') ?? '')

const inline = new Set(['status', 'anchor', 'jira', 'profile', 'contributors', 'date'])

/** Macros whose root element carries the marks itself. */
const ownRoot =
  /^<(div|span) class="((?:confluence-information-macro|expand-container|toc-macro|code panel|preformatted panel|panel|status-macro)\b[^"]*)"/

/** Marks the output with its macro, on its root or in a wrapper. */
export function wrapped(view: View, macro: Macro, html: string): string {
  if (view.exported || !view.world.settings.macroWrappers) return html
  const hasBody = macro.rich !== undefined || macro.plain !== undefined
  const id = view.site === 'cloud' && macro.id !== undefined ? ` data-macro-id="${escaped(macro.id)}"` : ''
  const told = `data-hasbody="${hasBody}" data-macro-name="${escaped(macro.name)}"${id}`
  const own = ownRoot.exec(html)
  const shape = inline.has(macro.name) ? 'inline' : 'block'
  if (own === null) {
    const tag = shape === 'inline' ? 'span' : 'div'
    return `<${tag} class="conf-macro output-${shape}" ${told}>${html}</${tag}>`
  }
  return `<${own[1]} class="${own[2]} conf-macro output-${shape}" ${told}${html.slice(own[0].length)}`
}

export const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
