import { counted, plural } from './nouns.ts'

export const incompleteTexts = {
  leftOut: (number: number, noun: string) => `Incomplete: ${counted(number, noun)} left out`,
  more: (noun: string) => `Incomplete: more ${plural(noun)} left out`,
  open: (text: string) => `${text}. Open the setting`,
}
