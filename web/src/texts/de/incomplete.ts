import type { incompleteTexts as english } from '../incomplete.ts'
import { counted, plural } from './nouns.ts'

export const incompleteTexts: typeof english = {
  leftOut: (number: number, noun: string) => `Unvollständig: ${counted(number, noun)} ausgelassen`,
  more: (noun: string) => `Unvollständig: weitere ${plural(noun)} ausgelassen`,
  open: (text: string) => `${text}. Einstellung öffnen`,
}
