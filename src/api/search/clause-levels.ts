import type { DocumentLevels } from '../../store/ledger/document-levels.ts'
import { setLevels } from './set-levels.ts'

/** A clause of the ledger with the level that it stands for; the id is null if the ledger does not name the level. */
export type ClauseLevel = {
  level: 'space' | 'ancestor' | 'page'
  id: string | null
  title: string | null
  entries: string[]
}

/** The restricted levels of a document, from its scope down. */
export function clauseLevels({ set, ref, clauses, recordId }: Levelled): ClauseLevel[] {
  const names = Object.keys(clauses).sort()
  const ids = levelIds(set, names.length - 1)
  return names.map((name, at): ClauseLevel => {
    const entries = clauses[name] ?? []
    if (at === 0) return { level: 'space', id: ref.space.key, title: ref.space.name, entries }
    const id = ids[at - 1] ?? null
    if (id === ref.position || (id !== null && recordId.endsWith(`/${id}`)))
      return { level: 'page', id, title: ref.title, entries }
    const title = ref.ancestors.find((each) => each.id === id)?.title ?? null
    return { level: 'ancestor', id, title, entries }
  })
}

type Levelled = Pick<DocumentLevels, 'set' | 'ref' | 'clauses' | 'recordId'>

/** Clauses above this one are merged, see `clauses` in access.ts. */
const LAST_CLAUSE = 7

/** The id of each clause after the first; null where the name of the set does not tell. */
function levelIds(set: string, clauses: number): (string | null)[] {
  const { ids, below } = setLevels(set)
  const all = below !== null && ids.length === clauses - 1 ? [...ids, below] : ids
  if (all.length === clauses) return all
  // The last clause stands for several levels.
  if (clauses === LAST_CLAUSE && all.length > clauses) return [...all.slice(0, clauses - 1), null]
  return Array.from({ length: clauses }, () => null)
}
