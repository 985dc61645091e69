import type { LedgerLevels } from '../../store/ledger/permission-levels.ts'
import { setLevels } from './set-levels.ts'

export type WhyLevel = {
  level: 'space' | 'ancestor' | 'page'
  id: string
  title: string | null
  /** The reader's own tokens that this level names. */
  by: string[]
}
/** From the scope down; the last level is the one that decides. */
export type Why = { as_of: string; levels: WhyLevel[] }

/** Why a reader finds a document, by the permissions in the ledger. */
export function whyOf({ set, ref, matched, asOf }: LedgerLevels): Why {
  const { ids } = setLevels(set)
  const names = Object.keys(matched).sort()
  // Other sources name their sets as they like, and a long chain ends in one clause for several levels.
  const areNamed = ids.length === names.length - 1
  const levels = names.map((name, at): WhyLevel => {
    const by = matched[name] ?? []
    if (at === 0) return { level: 'space', id: ref.space.key, title: ref.space.name, by }
    const id = (areNamed ? ids[at - 1] : undefined) ?? ''
    const ancestor = ref.ancestors.find((each) => each.id === id)
    if (ancestor) return { level: 'ancestor', id, title: ancestor.title, by }
    return { level: 'page', id: id || ref.position, title: ref.title, by }
  })
  return { as_of: asOf.toISOString(), levels }
}
