import { matchClauses } from '../../permissions/algebra.ts'
import type { ElementRequest, SearchElement } from '../search.ts'
import { inParts } from './batches.ts'

const BATCH_SIZE = 500

/** An element as it is stored; a clause of one entry may be a text. */
export type FoundElement = Omit<SearchElement, 'granted_by'> & {
  key: string
  access: Record<string, string | string[]>
}

/** Reads elements by key in batches, and checks each one again after the filter of the destination. */
export async function readableElements(
  { keys, tokens }: ElementRequest,
  read: (keys: string[]) => Promise<FoundElement[]>,
): Promise<Map<string, SearchElement>> {
  const readable = new Map<string, SearchElement>()
  if (tokens.length === 0) return readable
  const held = new Set(tokens)
  for (const batch of inParts(keys, BATCH_SIZE)) {
    for (const { key, access, ...element } of await read(batch)) {
      const clauses = Object.entries(access).map(([name, entries]) => [name, [entries].flat()] as const)
      const matched = matchClauses(Object.fromEntries(clauses), held)
      if (matched) readable.set(key, { ...element, granted_by: [...new Set([...matched.values()].flat())] })
    }
  }
  return readable
}
