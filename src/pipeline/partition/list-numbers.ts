import type { Attributes } from './markup.ts'
import { MAX_ATTRIBUTE_LENGTH } from './visible.ts'

/** Counts the items of an ordered list. */
export type ListNumbers = { next: number; step: 1 | -1; style: string }

/** Null for a list that shows no numbers. */
export function listNumbers(name: string, attributes: Attributes): ListNumbers | null {
  const style = styleOf(attributes)
  if (name !== 'ol' || !STYLES.has(style)) return null
  const start = wholeNumber(attributes.start)
  if (attributes.reversed === undefined) return { next: start ?? 1, step: 1, style }
  // Without a start, it begins with the number of items, which is not known yet.
  return start === undefined ? null : { next: start, step: -1, style }
}

/** The number of the next item as a browser shows it, such as `3.` or `iv.`. */
export function nextNumber(numbers: ListNumbers, { value }: Attributes): string {
  const number = wholeNumber(value) ?? numbers.next
  numbers.next = number + numbers.step
  return `${STYLES.get(numbers.style)?.(number) ?? number}.`
}

function styleOf({ type = '', style = '' }: Attributes): string {
  const declared = /(?:^|[;\s])list-style(?:-type)?\s*:\s*([a-z-]+)/i.exec(
    style.slice(0, MAX_ATTRIBUTE_LENGTH),
  )?.[1]
  return declared?.toLowerCase() ?? TYPES.get(type) ?? 'decimal'
}

function wholeNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*-?\d{1,9}\s*$/.test(value) ? Number(value) : undefined
}

const TYPES = new Map([
  ['a', 'lower-alpha'],
  ['A', 'upper-alpha'],
  ['i', 'lower-roman'],
  ['I', 'upper-roman'],
])
type Format = (number: number) => string | undefined
const upper =
  (format: Format): Format =>
  (number) =>
    format(number)?.toUpperCase()
const STYLES = new Map<string, Format>([
  ['decimal', String],
  ['lower-alpha', alphabetic],
  ['lower-latin', alphabetic],
  ['upper-alpha', upper(alphabetic)],
  ['upper-latin', upper(alphabetic)],
  ['lower-roman', roman],
  ['upper-roman', upper(roman)],
])

function alphabetic(number: number): string | undefined {
  let text = ''
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text
  return text === '' ? undefined : text
}

const ROMAN = [
  ...([
    [1000, 'm'],
    [900, 'cm'],
    [500, 'd'],
    [400, 'cd'],
    [100, 'c'],
    [90, 'xc'],
    [50, 'l'],
  ] as const),
  ...([
    [40, 'xl'],
    [10, 'x'],
    [9, 'ix'],
    [5, 'v'],
    [4, 'iv'],
    [1, 'i'],
  ] as const),
] as const

function roman(number: number): string | undefined {
  if (number < 1 || number > 3999) return undefined
  let rest = number
  let text = ''
  for (const [value, letters] of ROMAN) for (; rest >= value; rest -= value) text += letters
  return text
}
