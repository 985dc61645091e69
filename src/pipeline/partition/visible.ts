import type { Attributes } from './markup.ts'

/** Whether to skip a tag with its content: invisible parts and the table of contents. */
export function isSkipped(name: string, attributes: Attributes): boolean {
  if (HIDDEN_TAGS.has(name)) return true
  // Code that a script draws in the browser.
  if (name === 'script') return attributes.type !== 'syntaxhighlighter'
  if (name === 'dialog' && attributes.open === undefined) return true
  // Other notations of a formula; only the typed source is read.
  if (name === 'annotation') return !isTypedFormula(name, attributes)
  if (attributes['data-macro-name'] === 'toc') return true
  // Truncated, because a pattern may backtrack over long runs of spaces.
  const classes = attributes.class?.slice(0, MAX_ATTRIBUTE_LENGTH)
  if (classes !== undefined) {
    // A closed "expand" looks hidden, but readers open it with a click.
    if (/(?:^|\s)expand-(?:content|hidden)(?:\s|$)/.test(classes)) return false
    if (HIDDEN_CLASSES.test(classes)) return true
  }
  if (attributes.hidden !== undefined) return true
  return attributes.style !== undefined && HIDDEN_STYLE.test(attributes.style.slice(0, MAX_ATTRIBUTE_LENGTH))
}

export function isTypedFormula(name: string, attributes: Attributes): boolean {
  return name === 'annotation' && attributes.encoding?.toLowerCase() === 'application/x-tex'
}

/** Whether its style puts an inline tag on its own line. */
export function isBlockByStyle({ style }: Attributes): boolean {
  return style !== undefined && BLOCK_STYLE.test(style.slice(0, MAX_ATTRIBUTE_LENGTH))
}

export const MAX_ATTRIBUTE_LENGTH = 2000
/** Fallbacks, controls, ruby brackets, and undrawn parts of a drawing. */
const HIDDEN_TAGS = new Set(
  (
    'style template noscript noembed noframes head title iframe object applet canvas audio video select datalist ' +
    'textarea input progress meter rp annotation-xml defs desc metadata symbol clippath mask marker pattern'
  ).split(' '),
)
const HIDDEN_CLASSES =
  /(?:^|\s)(?:toc-macro|client-side-toc-macro|hidden|assistive|print-only|aui-icon|expand-control-icon|headerlink)(?:\s|$)/
// Zero size or opacity counts too: such text targets machines.
const HIDDEN_STYLE =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*0(?:\.0*)?(?:[a-z%]*)\s*(?:[;!]|$))/i
const BLOCK_STYLE = /(?:^|[;\s])display\s*:\s*(?:block|flex|grid|table|list-item|flow-root)/i
