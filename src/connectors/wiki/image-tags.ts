import { Tokenizer } from 'htmlparser2'

/** An image of a page, as it is written there, with its place in the text. */
export type ImageTag = { start: number; end: number; attributes: Record<string, string> }

/** Finds the images of a page in linear time, whatever the page looks like; `more` counts those beyond `most`. */
export function imagesIn(html: string, most: number): { tags: ImageTag[]; more: number } {
  const tags: ImageTag[] = []
  let more = 0
  let tag: ImageTag | null = null
  let attribute = ''
  let value = ''
  const end = (at: number) => {
    if (tag) tags.push({ ...tag, end: at + 1 })
    tag = null
  }
  const tokenizer = new Tokenizer(
    {},
    {
      onopentagname: (from, to) => {
        const isImage = /^(img|image)$/i.test(html.slice(from, Math.min(to, from + 6)))
        if (isImage && tags.length >= most) more++
        tag = isImage && tags.length < most ? { start: from - 1, end: to, attributes: {} } : null
      },
      onattribname: (from, to) => {
        attribute = tag ? html.slice(from, to).toLowerCase() : ''
      },
      onattribdata: (from, to) => {
        if (tag) value += html.slice(from, to)
      },
      onattribentity: (code) => {
        if (tag) value += String.fromCodePoint(code)
      },
      onattribend: () => {
        if (tag) tag.attributes[attribute] ??= value
        value = ''
      },
      onopentagend: end,
      onselfclosingtag: end,
      ontext: () => {},
      ontextentity: () => {},
      onclosetag: () => {},
      oncdata: () => {},
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
      isInForeignContext: () => false,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return { tags, more }
}

/** The page with some of its images written anew. */
export function replaceImages(html: string, sources: ReadonlyMap<ImageTag, string>): string {
  const parts: string[] = []
  let from = 0
  for (const [tag, src] of [...sources].sort(([a], [b]) => a.start - b.start)) {
    parts.push(html.slice(from, tag.start), written({ ...tag.attributes, src }))
    from = tag.end
  }
  return [...parts, html.slice(from)].join('')
}

function written(attributes: Record<string, string>): string {
  const names = Object.keys(attributes).filter((name) => /^[a-z][a-z0-9-]*$/.test(name))
  const escaped = (value: string) => value.replace(/&/g, '&amp;').replace(/"/g, '&quot;')
  return `<img ${names.map((name) => `${name}="${escaped(attributes[name] ?? '')}"`).join(' ')}>`
}
