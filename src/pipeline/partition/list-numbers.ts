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

const ROMAN_VALUES = {
  m: 1000,
  cm: 900,
  d: 500,
  cd: 400,
  c: 100,
  xc: 90,
  l: 50,
  xl: 40,
  x: 10,
  ix: 9,
  v: 5,
  iv: 4,
  i: 1,
}

function roman(number: number): string | undefined {
  if (number < 1 || number > 3999) return undefined
  let rest = number
  let text = ''
  for (const [letters, value] of Object.entries(ROMAN_VALUES))
    for (; rest >= value; rest -= value) text += letters
  return text
}
