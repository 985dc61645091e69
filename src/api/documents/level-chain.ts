import type { DocumentRef } from '../../document.ts'
import { setLevels } from '../search/set-levels.ts'

export type ChainLevel = {
  level: 'space' | 'ancestor' | 'page'
  id: string
  title: string | null
  /** Whether the set of permissions names it. */
  isNamed: boolean
}

type PlacedRef = Pick<DocumentRef, 'recordId' | 'title' | 'space' | 'ancestors'>

/** All levels between a reader and a document, from its space down, restricted or not. */
export function levelChain({ recordId, title, space, ancestors }: PlacedRef, set: string): ChainLevel[] {
  const named = setLevels(set)
  const ids = named.below === null ? named.ids : [...named.ids, named.below]
  const own = recordId.slice(recordId.lastIndexOf('/') + 1)
  const known = new Set([own, ...ancestors.map(({ id }) => id)])
  const isNamed = (id: string) => ids.includes(id)
  return [
    { level: 'space', id: space.key, title: space.name, isNamed: true },
    ...ancestors.map(({ id, title: name }) => {
      return { level: 'ancestor' as const, id, title: name, isNamed: isNamed(id) }
    }),
    // Folders restrict too, but are not among the ancestors of every ref.
    ...ids
      .filter((id) => !known.has(id))
      .map((id) => ({ level: 'ancestor' as const, id, title: null, isNamed: true })),
    { level: 'page', id: own, title, isNamed: isNamed(own) },
  ]
}
