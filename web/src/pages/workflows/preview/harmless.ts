/** Elements that load, run, send or stand for something outside. */
const OUTSIDE =
  'script, style, link, meta, base, title, iframe, frame, object, embed, applet, form, input, button, select, textarea, audio, video, source, track, svg, math, template, noscript'

/** What tells how a text is laid out, and nothing that names an address. */
const KEPT = new Set(['colspan', 'rowspan', 'start', 'alt', 'title', 'lang', 'dir'])

/** HTML of a stranger without anything that could load, run or lead away: words, lists and tables stay. */
export function harmless(html: string): string {
  const { body } = new DOMParser().parseFromString(quieted(html), 'text/html')
  for (const element of body.querySelectorAll(OUTSIDE)) element.remove()
  for (const image of body.querySelectorAll('img')) image.replaceWith(image.alt ? `[${image.alt}]` : '')
  for (const element of body.querySelectorAll('*')) {
    for (const { name } of [...element.attributes]) if (!KEPT.has(name)) element.removeAttribute(name)
  }
  return body.innerHTML
}

/** Even a document that is never shown notes each style and handler against the page's policy while it is parsed. */
function quieted(html: string): string {
  return withoutStyles(html).replaceAll(/<[a-z][^<>]*>/gi, (tag) =>
    tag.replaceAll(/(?<=[\s"'/])(style|on[a-z]+)\s*=/gi, 'data-$1='),
  )
}

/** Step by step and not by a pattern, which would go to the end of the page for every style that is not closed. */
function withoutStyles(html: string): string {
  const lower = html.toLowerCase()
  const kept: string[] = []
  let from = 0
  for (let at = lower.indexOf('<style'); at >= 0; at = lower.indexOf('<style', from)) {
    kept.push(html.slice(from, at))
    const end = lower.indexOf('</style', at)
    if (end < 0) return kept.join('')
    from = end + '</style'.length
  }
  return kept.join('') + html.slice(from)
}
