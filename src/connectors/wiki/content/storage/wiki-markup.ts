import { macroRule } from './macros.ts'

/** A macro in wiki markup: `{name:parameters}` opens it, `{name}` opens or closes it. */
const TAG = /\{\s*([a-z][\w.-]*)\s*(:[^{}]*)?(\}?)/gi
const HIDDEN = /[:|]\s*hidden\s*=\s*true\s*(?:\||$)/i

/** Leaves out what macros hide from some readers; a macro without its closing tag hides all that follows. */
export function visibleMarkup(markup: string): { text: string; hidden: Set<string> } {
  const pieces: string[] = []
  const hidden = new Set<string>()
  /** The number of open macros, by name. */
  const open = new Map<string, number>()
  let depth = 0
  let visibleFrom = 0
  for (const { 0: tag, 1: typedName = '', 2: parameters, 3: brace, index } of markup.matchAll(TAG)) {
    const name = typedName.toLowerCase()
    const count = open.get(name) ?? 0
    if (count > 0 && parameters === undefined && brace !== '') {
      open.set(name, count - 1)
      depth--
      if (depth === 0) visibleFrom = index + tag.length
    } else if (count > 0 || isHiding(name, parameters)) {
      if (depth === 0) pieces.push(markup.slice(visibleFrom, index))
      open.set(name, count + 1)
      depth++
      hidden.add(name)
    }
  }
  if (depth === 0) pieces.push(markup.slice(visibleFrom))
  return { text: pieces.join(''), hidden }
}

function isHiding(name: string, parameters = ''): boolean {
  return macroRule(name).kind === 'conditional' || HIDDEN.test(parameters)
}
