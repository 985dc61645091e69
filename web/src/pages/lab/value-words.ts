import { labTexts } from '../../texts/lab.ts'
import { LOCALE } from '../../texts/language.ts'
import { capitalized, type Terms } from '../../texts/nouns.ts'
import type { FacetName } from './types.ts'

/** A value of a facet in words; names of authors and spaces come from the source. */
export function valueWords(facet: FacetName, value: string, terms: Terms): string {
  if (facet === 'filetype') return filetypeWords(value, terms)
  if (facet === 'modified') return monthWords(value)
  return value
}

/** Zebras (ZEB) */
export function spaceWords(key: string, name: string | undefined): string {
  return name && name !== key ? `${name} (${key})` : key
}

/** `text/html` is what the source calls a document. */
export function filetypeWords(filetype: string, { document }: Terms): string {
  if (filetype === 'text/html') return capitalized(document)
  return labTexts.filetypes[filetype] ?? filetype
}

const monthFormat = new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** `2026-02` → February 2026 */
function monthWords(month: string): string {
  const date = new Date(`${month}-01T00:00:00Z`)
  return Number.isNaN(date.getTime()) ? month : monthFormat.format(date)
}
