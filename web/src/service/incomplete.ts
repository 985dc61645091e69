import { incompleteTexts } from '../texts/incomplete.ts'
import type { Job } from './types.ts'

export type Incomplete = NonNullable<Job['incomplete']>

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
