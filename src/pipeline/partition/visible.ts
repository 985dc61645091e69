import type { Attributes } from './markup.ts'

/** Whether a tag and all inside it stay out: what no reader of the page sees, and its table of contents. */
export function isLeftOut(name: string, attributes: Attributes): boolean {
  if (UNSEEN_TAGS.has(name)) return true
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

const LONGEST_READ = 2000
const UNSEEN_TAGS = new Set(
  (
    'script style template noscript noembed noframes head title svg iframe object applet canvas audio video ' +
    'select datalist textarea button input'
  ).split(' '),
)
const UNSEEN_CLASSES =
  /(?:^|\s)(?:toc-macro|client-side-toc-macro|hidden|assistive|aui-icon|expand-control-icon)(?:\s|$)/
const UNSEEN_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i
