import { LOCALE } from './language.ts'

const rules = new Intl.PluralRules(LOCALE)
const numbers = new Intl.NumberFormat(LOCALE)

/** 12,345 */
export function count(number: number): string {
  return numbers.format(number)
}

/** For number fields: 1,000.5 */
export const separators = { thousand: count(1000).charAt(1), decimal: count(0.5).charAt(1) }

const lists = new Intl.ListFormat(LOCALE)

/** Ann, Bo and Cy */
export function listed(words: string[]): string {
  return lists.format(words)
}

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** `amount(2, { one: '{n} job is running', other: '{n} jobs are running' })`. */
export function amount(number: number, forms: Forms): string {
  return (forms[rules.select(number)] ?? forms.other).replaceAll('{n}', () => count(number))
}
