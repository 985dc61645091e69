import { renderChildren, type View } from '../view.ts'
import { escapeMarkup, type StoredMacro } from './macro.ts'
import { renderKnown } from './macros.ts'
import { attribute, childOf, childrenNamed, findAll, type StorageElement, textOf } from './storage-tree.ts'

/** A macro of an app: its body, and for other macros than the wiki's own what the app shows. */
export function renderAppMacro(view: View, node: StorageElement, extension?: StorageElement): string {
  const macro = readAppMacro(node)
  const known = renderKnown(view, macro)
  if (known !== undefined) return known
  const output = childOf(node, 'ac:adf-fallback') ?? (extension && childOf(extension, 'ac:adf-fallback'))
  const body = renderChildren(view, macro.rich ?? [])
  const shown = renderChildren(view, output?.children ?? [])
  return `<div class="app-macro" data-macro-name="${escapeMarkup(macro.name)}">${body}<div class="app-output">${shown}</div></div>`
}

/** The last part of the key is the name; parameters are nested, with names in lower case. */
function readAppMacro(node: StorageElement): StoredMacro {
  const attributes = childrenNamed(node, 'ac:adf-attribute')
  const key = attributes.find((each) => attribute(each, 'key') === 'extension-key')
  const parameters = findAll(attributes, ({ tag }) => tag === 'ac:adf-parameter').map(
    (each) => [camelCase(attribute(each, 'key') ?? ''), each] as const,
  )
  return {
    name: (
      textOf(key?.children ?? [])
        .split('/')
        .at(-1) ?? ''
    )
      .trim()
      .toLowerCase(),
    id: undefined,
    parameters: new Map(parameters),
    rich: childOf(node, 'ac:adf-content')?.children,
    plain: undefined,
  }
}

const camelCase = (key: string): string => key.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase())
