/** What stands on a page, measured from its top left corner in points; `y` of a text is its baseline. */
export type Item = { text: string; x: number; y: number; width: number; size: number; bold: boolean }

/** A line that is drawn, from its left or upper end. */
export type Rule = { vertical: boolean; x: number; y: number; length: number }

export type Box = { left: number; top: number; right: number; bottom: number }
export type PageLink = { url: string; text: string; box: Box }

export type Page = {
  number: number
  width: number
  height: number
  items: Item[]
  rules: Rule[]
  links: PageLink[]
  /** By OCR. */
  scanned?: true
}

/** Texts on one baseline with no wide gap between them. */
export type Segment = { text: string; x: number; right: number; y: number; size: number; bold: boolean }
export type Row = { y: number; segments: Segment[] }
