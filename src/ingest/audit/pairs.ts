import { rankOf } from './sample.ts'

/** A document, and the facts that decide how often it is drawn. */
export type PairCandidate = { recordId: string; isRestricted: boolean; named: string[] }
export type Pair<T extends PairCandidate> = { user: string; document: T }

/**
 * Pairs of people and documents. Prefers restricted documents and the people named on them, because errors are most
 * likely there.
 */
export function drawPairs<T extends PairCandidate>(
  documents: T[],
  people: string[],
  { sample, seed }: { sample: number; seed: number },
): Pair<T>[] {
  if (documents.length * people.length <= sample) {
    return documents.flatMap((document) => people.map((user) => ({ user, document })))
  }
  const restrictedOnly = documents.filter(({ isRestricted }) => isRestricted)
  const restricted = restrictedOnly.length > 0 ? restrictedOnly : documents
  const drawn = new Map<string, Pair<T>>()
  // A pair may be drawn twice, so the number of tries is limited.
  for (let tries = 0; drawn.size < sample && tries < sample * 20; tries++) {
    const document = pick(tries % 2 === 0 ? restricted : documents, `${seed} document ${tries}`)
    const user =
      (tries % 4 < 2 ? pick(document?.named ?? [], `${seed} named ${tries}`) : undefined) ??
      pick(people, `${seed} person ${tries}`)
    if (document && user) drawn.set(`${user}\n${document.recordId}`, { user, document })
  }
  return [...drawn.values()]
}

function pick<T>(list: T[], text: string): T | undefined {
  return list[Number.parseInt(rankOf(0, text).slice(0, 12), 16) % list.length]
}
