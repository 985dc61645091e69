import { MAX_ATTRIBUTE_LENGTH } from './visible.ts'

/** 1 to 6; 0 for other tags. */
export function headingLevel(name: string): number {
  return name.length === 2 && name >= 'h1' && name <= 'h6' ? Number(name[1]) : 0
}

export const LIST_TAGS = new Set(['ul', 'ol', 'dl', 'menu'])
export const LIST_ITEM_TAGS = new Set(['li', 'dt', 'dd'])
export const ITEM_LINE_TAGS = new Set(['p', 'div', 'section'])
export const BREAKING_TAGS = new Set(
  (
    'address article aside blockquote body caption center details dialog div fieldset figcaption figure footer ' +
    'form header hgroup hr html legend main nav p search section summary table tbody td tfoot th thead tr'
  ).split(' '),
)

export function isBlockTag(name: string): boolean {
  return (
    BREAKING_TAGS.has(name) ||
    LIST_TAGS.has(name) ||
    LIST_ITEM_TAGS.has(name) ||
    name === 'pre' ||
    headingLevel(name) > 0
  )
}

/** Inline tags that appear separated although no space precedes them. */
export function needsSpaceBefore(
  name: string,
  attributes: { readonly class?: string | undefined; x?: string | undefined },
): boolean {
  // A positioned part of a drawn label is usually its next line.
  if (name === 'tspan') return attributes.x !== undefined
  return SPACED_TAGS.has(name) || isLabel(name, attributes)
}

/** A word in a box, such as a status. */
export function isLabel(name: string, attributes: { readonly class?: string | undefined }): boolean {
  return name === 'span' && LOZENGE.test(attributes.class?.slice(0, MAX_ATTRIBUTE_LENGTH) ?? '')
}

/** A date in a box, such as `date-past`. */
export function isDateLabel(attributes: { readonly class?: string | undefined }): boolean {
  return attributes.class?.startsWith('date-') ?? false
}

/** Labels of a drawing, and symbols of a formula. */
const SPACED_TAGS = new Set('svg text mi mn mo ms mtext'.split(' '))
const LOZENGE = /(?:^|\s)(?:status-macro|aui-lozenge|aui-label)(?:\s|$)/
