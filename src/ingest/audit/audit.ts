import { forEachLimited } from '../../concurrency.ts'
import { levelsOf } from '../../connectors/capabilities.ts'
import type { Destination } from '../../connectors/destination.ts'
import type { Source } from '../../connectors/source.ts'
import { AppError } from '../../errors.ts'
import { chainOf } from './chain.ts'
import {
  type AuditQuestion,
  type CurrentRules,
  compareAccess,
  type Disagreement,
  type Judge,
  OPERATIONS,
  type SourceAnswers,
} from './compare.ts'
import { type AuditedDocument, type AuditRequest, readSampledDocuments } from './documents.ts'
import { drawPairs } from './pairs.ts'
import { listPeople, readAuditReader } from './people.ts'

export type AuditReport = {
  documents: number
  people: number
  pairs: number
  compared: number
  too_wide: number
  too_narrow: number
  /** Pairs for which the source gave no answer. */
  unanswered: number
  /** Elements that Millrace did not write; their permissions cannot be checked. */
  foreign: number
  /** `rules` if the source's current rules decided at least one pair. */
  judge: Judge
}

type AuditContext = {
  source: Source
  destination: Destination
  onDisagreement(disagreement: Disagreement): void
}
const CONCURRENT_PAIRS = 4

/** Compares the grants of the index with the source's, for a sample. Writes nothing. */
export async function auditAccess(
  { source, destination, onDisagreement }: AuditContext,
  request: AuditRequest,
  signal: AbortSignal,
): Promise<AuditReport> {
  const { documents, foreign } = await readSampledDocuments({ source, destination }, request, signal)
  const people = await listPeople(source, signal)
  for (const { named } of documents) for (const user of named) people.add(user)
  const pairs = drawPairs(documents, [...people].sort(), request)
  const readers = memoize((user: string) => readAuditReader(source, user, signal))
  const currentRules = memoize((document: AuditedDocument) => readCurrentRules(source, document, signal))
  const report: AuditReport = {
    documents: documents.length,
    people: people.size,
    pairs: pairs.length,
    compared: 0,
    too_wide: 0,
    too_narrow: 0,
    unanswered: 0,
    foreign,
    judge: 'check',
  }
  let failure: AppError | null = null
  await forEachLimited(pairs, CONCURRENT_PAIRS, async ({ user, document }) => {
    const reader = await readers(user)
    const rules = await currentRules(document)
    const answers = await askSource(source, { reader, document, rules }, signal)
    if (answers instanceof AppError) {
      failure ??= answers
      report.unanswered++
      return
    }
    if (answers.judge === 'rules') report.judge = 'rules'
    for (const disagreement of compareAccess({ reader, document, rules, answers }, () => report.compared++)) {
      report[disagreement.verdict]++
      onDisagreement(disagreement)
    }
  })
  if (report.compared === 0 && failure) throw failure
  return report
}

async function readCurrentRules(
  source: Source,
  document: AuditedDocument,
  signal: AbortSignal,
): Promise<CurrentRules> {
  try {
    return { levels: await levelsOf(source)(document, signal) }
  } catch (error) {
    if (!(error instanceof AppError) || error.endsJob) throw error
    if (error.code === 'document_gone') return { gone: error.message }
    return { failed: error }
  }
}

/** Without `checkPermission`, the source's current rules decide, for reading only. */
async function askSource(
  source: Source,
  { reader, document, rules }: AuditQuestion,
  signal: AbortSignal,
): Promise<SourceAnswers | AppError> {
  if ('gone' in rules) return { judge: 'check', allowed: { read: false, update: false, delete: false } }
  const allowed: SourceAnswers['allowed'] = {}
  try {
    for (const operation of OPERATIONS) {
      const answer = await source.checkPermission?.({ user: reader.id, operation, document }, signal)
      if (typeof answer === 'boolean') allowed[operation] = answer
    }
  } catch (error) {
    if (error instanceof AppError && !error.endsJob) return error
    throw error
  }
  if (Object.keys(allowed).length > 0) return { judge: 'check', allowed }
  if ('failed' in rules) return rules.failed
  const chain = chainOf(rules.levels, reader)
  return { judge: 'rules', allowed: { read: chain.length > 0 && chain.every((link) => link.satisfied) } }
}

/** Calls `compute` once per key. */
function memoize<K, V>(compute: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const known = new Map<K, Promise<V>>()
  return (key) => {
    const value = known.get(key) ?? compute(key)
    known.set(key, value)
    return value
  }
}
