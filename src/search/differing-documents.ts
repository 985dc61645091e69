/** One person: the documents that search finds as them, each with one of its elements. */
export type FoundDocuments<E> = {
  found: ReadonlyMap<string, E>
  /** Which of these documents the person can find although the ranking did not reach them. */
  findsAlso(documents: ReadonlyMap<string, E>): Promise<ReadonlySet<string>>
}

/** Enough for almost every comparison to cover all matches. */
export const DOCUMENTS_COMPARED = 1000

/** Documents that some of the people find and some do not. */
export async function differingDocuments<E>(people: readonly FoundDocuments<E>[]): Promise<Set<string>> {
  const all = new Map(people.flatMap(({ found }) => [...found]))
  const differing = new Set<string>()
  for (const { found, findsAlso } of people) {
    const missing = new Map([...all].filter(([id]) => !found.has(id)))
    if (missing.size === 0) continue
    // A ranking that ends early does not prove that a person cannot find the rest.
    const also = await findsAlso(missing)
    for (const id of missing.keys()) if (!also.has(id)) differing.add(id)
  }
  return differing
}
