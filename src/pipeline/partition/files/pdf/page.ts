import type { Box } from '../../../../document.ts'

/** In points from the page's top left corner; `y` is the baseline. `confidence`, 0 to 1, is set by OCR. */
export type Item = {
  text: string
  x: number
  y: number
  width: number
  size: number
  bold: boolean
  confidence?: number
}

/** A drawn line, from its left or upper end. */
export type Rule = {
  vertical: boolean
  x: number
  y: number
  length: number
  /** The edge of a background, perhaps of one line of text. */
  ofSurface?: true
}

export type PageLink = { url: string; text: string; box: Box }

export type Page = {
  number: number
  width: number
  height: number
  items: Item[]
  rules: Rule[]
  links: PageLink[]
  /** Read by OCR. */
  scanned?: true
}

/** Text on one baseline without a wide gap. */
export type Segment = {
  text: string
  x: number
  right: number
  y: number
  size: number
  bold: boolean
  items: Item[]
}
export type Row = { y: number; segments: Segment[] }
