/** Elements that load, run, send or embed. */
const UNSAFE_ELEMENTS =
  'script, style, link, meta, base, title, iframe, frame, object, embed, applet, form, input, button, select, textarea, audio, video, source, track, svg, math, template, noscript'

/** Layout attributes without addresses. */
const SAFE_ATTRIBUTES = new Set(['colspan', 'rowspan', 'start', 'alt', 'title', 'lang', 'dir'])

/** Untrusted HTML without anything that loads, runs or links. */
export function sanitizeHtml(html: string): string {
  return sanitizedBody(html).innerHTML
}

export function sanitizedBody(html: string): HTMLElement {
  const { body } = new DOMParser().parseFromString(withoutHandlers(html), 'text/html')
  for (const element of body.querySelectorAll(UNSAFE_ELEMENTS)) element.remove()
  for (const image of body.querySelectorAll('img')) image.replaceWith(image.alt ? `[${image.alt}]` : '')
  for (const element of body.querySelectorAll('*')) {
    for (const { name } of [...element.attributes])
      if (!SAFE_ATTRIBUTES.has(name)) element.removeAttribute(name)
  }
  return body
}

/** Even parsing reports styles and handlers as violations of the page's policy. */
function withoutHandlers(html: string): string {
  return withoutStyles(html).replaceAll(/<[a-z][^<>]*>/gi, (tag) =>
    tag.replaceAll(/(?<=[\s"'/])(style|on[a-z]+)\s*=/gi, 'data-$1='),
  )
}

/** A regular expression would be quadratic for unclosed styles. */
function withoutStyles(html: string): string {
  const lower = html.toLowerCase()
  const parts: string[] = []
  let from = 0
  for (let at = lower.indexOf('<style'); at >= 0; at = lower.indexOf('<style', from)) {
    parts.push(html.slice(from, at))
    const end = lower.indexOf('</style', at)
    if (end < 0) return parts.join('')
    from = end + '</style'.length
  }
  return parts.join('') + html.slice(from)
}
