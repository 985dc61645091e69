import { cellHtml } from '../../../table.ts'

const FIELD_START = '\x13'
const FIELD_RESULT = '\x14'
const FIELD_END = '\x15'
const FOOTNOTE = '\x02'
const MAX_FIELDS = 100

/** Text with links, without the instructions of fields; keeps the state of a field across paragraphs. */
export function createInline(): (text: string) => string {
  const fields: { code: string; hasResult: boolean; isLink: boolean }[] = []
  let notes = 0
  return (text) => {
    let html = fields.flatMap(({ isLink, code }) => (isLink ? [linkTag(code)] : [])).join('')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: Word marks fields with control characters.
    for (const part of text.split(/([\u0002\u0013-\u0015])/)) {
      const field = fields.at(-1)
      if (part === FIELD_START) {
        if (fields.length < MAX_FIELDS) fields.push({ code: '', hasResult: false, isLink: false })
      } else if (part === FIELD_RESULT && field) {
        field.hasResult = true
        field.isLink = /^\s*HYPERLINK\s/i.test(field.code) && isShown(fields) && linkTag(field.code) !== ''
        if (field.isLink) html += linkTag(field.code)
      } else if (part === FIELD_END) {
        if (fields.pop()?.isLink) html += '</a>'
      } else if (field && !field.hasResult) field.code += part
      else if (!isShown(fields)) continue
      else if (part === FOOTNOTE) html += `[${++notes}]`
      else html += cellHtml(readable(part))
    }
    return html + fields.flatMap(({ isLink }) => (isLink ? ['</a>'] : [])).join('')
  }
}

function isShown(fields: { hasResult: boolean }[]): boolean {
  return fields.every(({ hasResult }) => hasResult)
}

function linkTag(code: string): string {
  const [, target = ''] = /HYPERLINK\s+"([^"]{1,2000})"/i.exec(code) ?? []
  return target === '' || /\\l\s/.test(code) ? '' : `<a href="${cellHtml(target).replaceAll('"', '&quot;')}">`
}

/** Line breaks and hyphens as characters, without anchors of pictures and letters of symbol fonts. */
function readable(text: string): string {
  return text
    .replaceAll(/[\v\f]/g, '\n')
    .replaceAll('\x1e', '\u2011')
    .replaceAll(/(?![\t\n])\p{Cc}/gu, '')
    .replaceAll(/\p{Co}/gu, ' ')
}
