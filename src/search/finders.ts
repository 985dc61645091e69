/** One person: the documents that search finds as them, each with one of its elements. */
export type FoundDocuments<E> = {
  found: ReadonlyMap<string, E>
  /** Which of these documents the person can find although the ranking did not reach them. */
  findsAlso(documents: ReadonlyMap<string, E>): Promise<ReadonlySet<string>>
}

/** Enough for almost every comparison to cover all matches. */
export const DOCUMENTS_COMPARED = 1000

/** For each document whether each of the people finds it, in their order. */
export async function findersOf<E>(people: readonly FoundDocuments<E>[]): Promise<Map<string, boolean[]>> {
  const all = new Map(people.flatMap(({ found }) => [...found]))
  const byPerson = await Promise.all(
    people.map(async ({ found, findsAlso }) => {
      const missing = new Map([...all].filter(([id]) => !found.has(id)))
      // A ranking that ends early does not prove that a person cannot find the rest.
      const also = missing.size === 0 ? new Set<string>() : await findsAlso(missing)
      return (id: string) => found.has(id) || also.has(id)
    }),
  )
  return new Map([...all.keys()].map((id) => [id, byPerson.map((finds) => finds(id))]))
}

export function doFindersDiffer(finders: readonly boolean[] = []): boolean {
  return finders.includes(true) && finders.includes(false)
}

/** How many documents each person finds, how many they alone find, and how many all of them find. */
export function countFinders(documents: Iterable<readonly boolean[]>, people: number) {
  const counts = {
    found: Array<number>(people).fill(0),
    only: Array<number>(people).fill(0),
    everyone: 0,
    differ: 0,
  }
  for (const finders of documents) {
    for (const [person, finds] of finders.entries()) if (finds) counts.found[person]! += 1
    const isDifferent = doFindersDiffer(finders)
    if (!isDifferent) counts.everyone += 1
    else counts.differ += 1
    const single = finders.indexOf(true)
    if (isDifferent && single === finders.lastIndexOf(true)) counts.only[single]! += 1
  }
  return counts
}
