import { Marked } from 'marked'
import { addressOfLink, anchorMaker, type Help, type HelpDocument, plainText } from './documents.ts'

/** A document as HTML. Addresses begin with `base`, the path that a proxy removes. HTML in the document is shown as text. */
export function renderDocument(help: Help, { path, text }: HelpDocument, base: string): string {
  const anchor = anchorMaker()
  const addressIn = (href: string): string | null => {
    if (/^https?:\/\//.test(href) || href.startsWith('#')) return href
    const [file = '', fragment] = href.split('#')
    if (path.startsWith('docs/') && file === 'openapi.json') return `${base}/openapi.json`
    const address = addressOfLink(help, path, file)
    if (address === null) return null
    return `${base}/help${address && `/${address}`}${fragment ? `#${fragment}` : ''}`
  }
  const renderer = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        const id = anchor(plainText(heading))
        return `<h${depth} id="${quotedHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens)
        const address = addressIn(href)
        return address === null ? content : `<a href="${quotedHtml(address)}">${content}</a>`
      },
      image({ href, text: alternative }) {
        const address = addressIn(href)
        return address === null
          ? quotedHtml(alternative)
          : `<img src="${quotedHtml(address)}" alt="${quotedHtml(alternative)}" loading="lazy">`
      },
      html: ({ text: html }) => (isHarmless(html.trim()) ? html : quotedHtml(html)),
    },
  })
  return (
    renderer
      .parse(text, { async: false })
      // What scrolls sideways can be reached by keyboard.
      .replaceAll('<table>', '<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
      .replaceAll('<pre>', '<pre tabindex="0">')
      .replaceAll('<th></th>', '<td></td>')
      .replaceAll('</table>', '</table></div>')
  )
}

/** Comments, and anchors for links. */
function isHarmless(html: string): boolean {
  return /^(<!--(?:(?!-->)[\s\S])*-->|<a id="[\w-]+">|<\/a>)$/.test(html)
}

export function quotedHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
