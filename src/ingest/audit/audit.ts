import { forEachLimited } from '../../concurrency.ts'
import { levelsOf } from '../../connectors/capabilities.ts'
import type { Destination, Source } from '../../connectors/connector.ts'
import { AppError } from '../../errors.ts'
import { chainOf } from './chain.ts'
import {
  type Answers,
  type Asked,
  compareAccess,
  type Difference,
  type Fresh,
  type Judge,
  OPERATIONS,
} from './compare.ts'
import { type AuditRequest, type Document, readSampledDocuments } from './documents.ts'
import { drawPairs } from './pairs.ts'
import { auditReaderOf, listPeople } from './people.ts'

export type AuditReport = {
  documents: number
  people: number
  pairs: number
  compared: number
  too_wide: number
  too_narrow: number
  /** Pairs for which the source gave no answer. */
  unanswered: number
  /** Elements that Millrace did not write; no one knows whom they are for. */
  foreign: number
  judge: Judge
}

type Ends = { source: Source; destination: Destination; found(difference: Difference): void }
const CONCURRENT_PAIRS = 4

/** Compares the grants of the index with the source's, for a sample. Writes nothing. */
export async function auditAccess(
  { source, destination, found }: Ends,
  request: AuditRequest,
  signal: AbortSignal,
): Promise<AuditReport> {
  const { documents, foreign } = await readSampledDocuments({ source, destination }, request, signal)
  const people = await listPeople(source, signal)
  for (const { named } of documents) for (const user of named) people.add(user)
  const pairs = drawPairs(documents, [...people].sort(), request)
  const readers = remembered((user: string) => auditReaderOf(source, user, signal))
  const fresh = remembered((document: Document) => readFresh(source, document, signal))
  const report: AuditReport = {
    ...{ documents: documents.length, people: people.size, pairs: pairs.length, compared: 0 },
    ...{ too_wide: 0, too_narrow: 0, unanswered: 0, foreign, judge: 'check' },
  }
  let failure: AppError | null = null
  await forEachLimited(pairs, CONCURRENT_PAIRS, async ({ user, document }) => {
    const reader = await readers(user)
    const now = await fresh(document)
    const answers = await askSource(source, { reader, document, now }, signal)
    if (answers instanceof AppError) {
      failure ??= answers
      report.unanswered++
      return
    }
    if (answers.judge === 'rules') report.judge = 'rules'
    for (const difference of compareAccess({ reader, document, now, answers }, () => report.compared++)) {
      report[difference.verdict]++
      found(difference)
    }
  })
  if (report.compared === 0 && failure) throw failure
  return report
}

async function readFresh(source: Source, document: Document, signal: AbortSignal): Promise<Fresh> {
  try {
    return { levels: await levelsOf(source)(document, signal) }
  } catch (error) {
    if (!(error instanceof AppError) || error.endsJob) throw error
    if (error.code === 'document_gone') return { gone: error.message }
    return { failed: error }
  }
}

/** Without a check of its own a source is judged by its rules for reading. */
async function askSource(
  source: Source,
  { reader, document, now }: Asked,
  signal: AbortSignal,
): Promise<Answers | AppError> {
  if ('gone' in now) return { judge: 'check', allowed: { read: false, update: false, delete: false } }
  const allowed: Answers['allowed'] = {}
  try {
    for (const operation of OPERATIONS) {
      const answer = await source.permits?.({ user: reader.id, operation, document }, signal)
      if (typeof answer === 'boolean') allowed[operation] = answer
    }
  } catch (error) {
    if (error instanceof AppError && !error.endsJob) return error
    throw error
  }
  if (Object.keys(allowed).length > 0) return { judge: 'check', allowed }
  if ('failed' in now) return now.failed
  const chain = chainOf(now.levels, reader)
  return { judge: 'rules', allowed: { read: chain.length > 0 && chain.every((link) => link.satisfied) } }
}

/** One promise for each key. */
function remembered<K, V>(make: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const known = new Map<K, Promise<V>>()
  return (key) => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}
