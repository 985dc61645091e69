import { renderChildren, type View } from '../view.ts'
import { escapeMarkup, type MacroTable, readMacro, type StoredMacro, withMacroAttributes } from './macro.ts'
import { conditionalMacros } from './macros-conditional.ts'
import { externalMacros } from './macros-external.ts'
import { fileMacros } from './macros-files.ts'
import { includeMacros } from './macros-include.ts'
import { listMacros } from './macros-lists.ts'
import { ownMacros } from './macros-own.ts'
import { reportMacros } from './macros-reports.ts'
import type { StorageElement } from './storage-tree.ts'

/** Every macro of the simulated wiki. */
const macros: MacroTable = {
  ...ownMacros,
  ...conditionalMacros,
  ...fileMacros,
  ...includeMacros,
  ...listMacros,
  ...reportMacros,
  ...externalMacros,
}

export function renderMacro(view: View, element: StorageElement): string {
  const macro = readMacro(element)
  const known = renderKnown(view, macro)
  if (known !== undefined) return known
  // A macro of an uninstalled app: its name and body.
  const body = macro.rich === undefined ? escapeMarkup(macro.plain ?? '') : renderChildren(view, macro.rich)
  return `<div class="wysiwyg-unknown-macro" data-macro-name="${escapeMarkup(macro.name)}">Unknown macro: {${escapeMarkup(macro.name)}}${body}</div>`
}

/** undefined: no macro of this name. */
export function renderKnown(view: View, macro: StoredMacro): string | undefined {
  const known = Object.hasOwn(macros, macro.name) ? macros[macro.name] : undefined
  return known && withMacroAttributes(view, macro, known(view, macro))
}
