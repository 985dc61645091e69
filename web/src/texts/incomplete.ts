import type { Job } from '../service/types.ts'
import { counted, plural } from './nouns.ts'

export type Incomplete = NonNullable<Job['incomplete']>

export const incompleteTexts = {
  leftOut: (number: number, noun: string) => `Incomplete: ${counted(number, noun)} left out`,
  more: (noun: string) => `Incomplete: more ${plural(noun)} left out`,
  open: (text: string) => `${text}. Open the setting`,
}

/** "Incomplete: 81 pages left out". */
export function incompleteText({ documents, limits }: Incomplete): string {
  const { leftOut, more } = incompleteTexts
  const nouns = new Set(limits.map(({ noun }) => noun))
  const [noun = 'document'] = nouns
  if (documents !== null) return leftOut(documents, nouns.size > 1 ? 'document' : noun)
  const [first] = limits
  if (limits.length === 1 && first?.kind === 'scopes' && first.left_out) return leftOut(first.left_out, noun)
  const cut = limits.find(({ kind }) => kind !== 'scopes') ?? first
  return more(cut?.noun ?? 'document')
}
