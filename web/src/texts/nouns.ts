import type { ConnectorType } from '../../../packages/millrace-client/src/schema.ts'
import { count } from './locale.ts'

/** The nouns of a connector type: singular, lower case. */
export type Terms = ConnectorType['terms']

/** Used where the type is unknown or several differ. */
export const generalTerms: Terms = { system: 'source', scope: 'space', document: 'document' }

/** `space` → spaces, `index` → indexes, `library` → libraries. */
export function plural(noun: string): string {
  if (/(s|x|z|ch|sh)$/.test(noun)) return `${noun}es`
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`
  return `${noun}s`
}

/** 1 space, 1,200 spaces. */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${number === 1 ? noun : plural(noun)}`
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
