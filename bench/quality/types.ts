import { wordsOf } from './words.ts'

type Typed = { type: string; text: string }

export type TypeAgreement = {
  /** Share of our elements with a text of theirs, and of these with their type. */
  same_text: number
  same_type: number
  /** Counts of differing types: `NarrativeText, theirs Title`. */
  differences: Record<string, number>
}

/** Elements of the same documents by two readers. */
export function typeAgreement(ours: Typed[][], theirs: Typed[][]): TypeAgreement {
  const pairs = ours.flatMap((elements, index) => {
    const types = new Map((theirs[index] ?? []).map(({ type, text }) => [normalised(text), type]))
    return elements.map(({ type, text }) => ({ type, their: types.get(normalised(text)) }))
  })
  const matched = pairs.filter(({ their }) => their !== undefined)
  const differences: Record<string, number> = {}
  for (const { type, their } of matched) {
    if (type === their) continue
    const name = `${type}, theirs ${their}`
    differences[name] = (differences[name] ?? 0) + 1
  }
  const different = Object.values(differences).reduce((sum, count) => sum + count, 0)
  return {
    same_text: share(matched.length, pairs.length),
    same_type: share(matched.length - different, matched.length),
    differences,
  }
}

function normalised(text: string): string {
  return wordsOf(text).join(' ')
}

function share(part: number, all: number): number {
  return all === 0 ? 1 : Number((part / all).toFixed(3))
}
