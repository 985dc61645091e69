import { readBlocks } from '../../blocks.ts'
import { absoluteAddress, collapse, type TextLink } from '../../running-text.ts'

export type Label = { text: string; links: TextLink[] }

/** The visible lines of a label that is HTML. */
export function htmlLabel(html: string): Label {
  if (!/[<&]/.test(html)) return textLabel(html)
  const blocks = readBlocks(html, { filename: 'a label', url: undefined })
  return {
    text: blocks.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n'),
    links: blocks.flatMap(({ links }) => links),
  }
}

export function textLabel(text: string): Label {
  const lines = text.split(/\r\n?|\n/).map(collapse)
  return { text: lines.filter((line) => line !== '').join('\n'), links: [] }
}

/** The link of the whole shape. */
export function withLink({ text, links }: Label, address: unknown): Label {
  const url = typeof address === 'string' && text !== '' ? absoluteAddress(address, undefined) : null
  return url ? { text, links: [...links, { url, text }] } : { text, links }
}

export function numberOf(value: unknown): number {
  const number = Number(value)
  return Number.isFinite(number) ? number : 0
}
