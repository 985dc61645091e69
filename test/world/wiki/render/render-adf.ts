import { renderChildren, type View } from '../view.ts'
import { renderAppMacro } from './app-macro.ts'
import { escapeMarkup } from './macro.ts'
import { attribute, childOf, childrenNamed, isElement, type StorageElement, textOf } from './storage-tree.ts'

/** New-editor content without a storage element: its content, else the fallback. */
export function renderAdf(view: View, extension: StorageElement): string {
  const node = childOf(extension, 'ac:adf-node')
  if (node !== undefined && isAppMacro(node)) return renderAppMacro(view, node, extension)
  const shown = node === undefined ? undefined : renderNode(view, node)
  if (shown !== undefined) return shown
  const fallback = childOf(extension, 'ac:adf-fallback') ?? (node && childOf(node, 'ac:adf-fallback'))
  return fallback === undefined ? '' : renderChildren(view, fallback.children)
}

/** undefined: nothing to show. */
function renderNode(view: View, node: StorageElement): string | undefined {
  if (isAppMacro(node)) return renderAppMacro(view, node)
  const type = attribute(node, 'type') ?? ''
  if (type === 'sync-block') return '<div class="sync-block">Sync Block</div>'
  const parts = node.children.flatMap((piece) => {
    if (!isElement(piece)) return []
    if (piece.tag === 'ac:adf-content') return [renderChildren(view, piece.children)]
    if (piece.tag === 'ac:adf-node') return [renderNode(view, piece) ?? '']
    return piece.tag === 'ac:adf-leaf' ? [leaf(piece)] : []
  })
  if (parts.length === 0) return undefined
  const html = parts.join('')
  switch (type) {
    case 'panel':
      return `<div class="panel"><div class="panelContent">${html}</div></div>`
    case 'decision-list':
      return `<ul class="decision-list">${html}</ul>`
    case 'decision-item':
      return `<li>${html}</li>`
    default:
      return `<div>${html}</div>`
  }
}

/** `extension`, `bodied-extension`, `inline-extension` or `multi-bodied-extension`. */
const isAppMacro = (node: StorageElement): boolean => (attribute(node, 'type') ?? '').endsWith('extension')

function leaf(element: StorageElement): string {
  const labels = childrenNamed(element, 'ac:adf-attribute').filter((each) =>
    ['text', 'title'].includes(attribute(each, 'key') ?? ''),
  )
  const own = [attribute(element, 'text'), attribute(element, 'title')].flatMap((each) => each ?? [])
  return escapeMarkup([...own, ...labels.map((each) => textOf(each.children))].join(' '))
}
