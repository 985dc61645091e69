import type { Element } from '../../document.ts'
import { decodeText } from './decode.ts'
import { type HtmlPage, partitionHtml, partitionLines, partitionText as partitionPlain } from './html.ts'

/** A page of a source has its text and title; a file has bytes, and its title is only its name. */
export type TextDocument = {
  body: string | Uint8Array
  title: string
  filename: string
  /** May have parameters, such as a charset. */
  filetype: string
  url: string
}

const partitioners = new Map<string, (page: HtmlPage) => Element[]>([
  ['text/html', partitionHtml],
  ['text/plain', partitionPlain],
  ['text/x-rst', partitionPlain],
  ['application/json', partitionLines],
  ['application/xml', partitionLines],
])

export const TEXT_TYPES: readonly string[] = [...partitioners.keys()]

export function isText(filetype: string): boolean {
  return partitioners.has(mediaType(filetype))
}

/** Blocks the process: 20 MB take seconds. */
export function partitionTextDocument({ body, title, filename, filetype, url }: TextDocument): Element[] {
  const type = mediaType(filetype)
  const partitioner = partitioners.get(type)
  if (!partitioner) throw new Error(`${filetype} is not text`)
  const isFile = typeof body !== 'string'
  return partitioner({
    html: isFile ? decodeText(body, type) : body,
    title: isFile ? '' : title,
    filename,
    filetype,
    url,
    // Other strategies find nothing more in markup or text.
    partitionerType: 'fast',
  })
}

export function mediaType(filetype: string): string {
  return filetype.split(';')[0]?.trim().toLowerCase() ?? ''
}
