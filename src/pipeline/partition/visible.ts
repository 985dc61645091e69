import type { Attributes } from './markup.ts'

/** Whether a tag and all inside it stay out: what no reader of the page sees, and its table of contents. */
export function isLeftOut(name: string, attributes: Attributes): boolean {
  if (UNSEEN_TAGS.has(name)) return true
  // Code that the wiki leaves to the browser to draw.
  if (name === 'script') return attributes.type !== 'syntaxhighlighter'
  if (name === 'dialog' && attributes.open === undefined) return true
  // A formula's content in other notations; what was typed for it is the one that people read.
  if (name === 'annotation') return !isTypedFormula(name, attributes)
  if (attributes['data-macro-name'] === 'toc') return true
  // Cut, because a pattern may have to remember every place in a run of blanks it could go back to.
  const classes = attributes.class?.slice(0, LONGEST_READ)
  if (classes !== undefined) {
    // A closed "expand" hides its body by class or style, and a reader opens it with a click.
    if (/(?:^|\s)expand-(?:content|hidden)(?:\s|$)/.test(classes)) return false
    if (UNSEEN_CLASSES.test(classes)) return true
  }
  if (attributes.hidden !== undefined) return true
  return attributes.style !== undefined && UNSEEN_STYLE.test(attributes.style.slice(0, LONGEST_READ))
}

export function isTypedFormula(name: string, attributes: Attributes): boolean {
  return name === 'annotation' && attributes.encoding?.toLowerCase() === 'application/x-tex'
}

/** Whether an inline tag begins a line of its own by its style. */
export function isBlockByStyle({ style }: Attributes): boolean {
  return style !== undefined && BLOCK_STYLE.test(style.slice(0, LONGEST_READ))
}

const LONGEST_READ = 2000
/** Fallbacks, controls, what stands in brackets for browsers without ruby, and what a drawing does not draw. */
const UNSEEN_TAGS = new Set(
  (
    'style template noscript noembed noframes head title iframe object applet canvas audio video select datalist ' +
    'textarea input progress meter rp annotation-xml defs desc metadata symbol clippath mask marker pattern'
  ).split(' '),
)
const UNSEEN_CLASSES =
  /(?:^|\s)(?:toc-macro|client-side-toc-macro|hidden|assistive|print-only|aui-icon|expand-control-icon)(?:\s|$)/
// Of no size or no opacity counts as well: text that people hide so is meant for machines.
const UNSEEN_STYLE =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*0(?:\.0*)?(?:[a-z%]*)\s*(?:[;!]|$))/i
const BLOCK_STYLE = /(?:^|[;\s])display\s*:\s*(?:block|flex|grid|table|list-item|flow-root)/i
