import { renderChildren, type View } from '../view.ts'
import { escapeMarkup, type MacroTable, readMacro, withMacroAttributes } from './macro.ts'
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
  ...fileMacros,
  ...includeMacros,
  ...listMacros,
  ...reportMacros,
  ...externalMacros,
}

export function renderMacro(view: View, element: StorageElement): string {
  const macro = readMacro(element)
  const known = Object.hasOwn(macros, macro.name) ? macros[macro.name] : undefined
  if (known !== undefined) return withMacroAttributes(view, macro, known(view, macro))
  // A macro of an uninstalled app: its name and body.
  const body = macro.rich === undefined ? escapeMarkup(macro.plain ?? '') : renderChildren(view, macro.rich)
  return `<div class="wysiwyg-unknown-macro" data-macro-name="${escapeMarkup(macro.name)}">Unknown macro: {${escapeMarkup(macro.name)}}${body}</div>`
}
