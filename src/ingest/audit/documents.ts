import { inspectOf } from '../../connectors/capabilities.ts'
import type { Destination } from '../../connectors/destination.ts'
import type { Source } from '../../connectors/source.ts'
import { siteOfRecord } from '../../record-id.ts'
import { usersNamed, type WrittenPermissions, writtenForms } from './granting.ts'
import type { PairCandidate } from './pairs.ts'
import { type SampledDocument, sampleDocuments } from './sample.ts'

export type AuditRequest = { sample: number; seed: number; scopeKeys: string[] }

/** A document as the index holds it. */
export type AuditedDocument = PairCandidate & {
  title: string
  locator: Record<string, string>
  forms: WrittenPermissions[]
}
/** Reads a sample of the documents of this source from the index. */
export async function readSampledDocuments(
  { source, destination }: { source: Source; destination: Destination },
  { sample, seed, scopeKeys }: AuditRequest,
  signal: AbortSignal,
): Promise<{ documents: AuditedDocument[]; foreign: number }> {
  const { name } = await source.site(signal)
  // An index may hold several sites.
  const isOurs = (recordId: string) => siteOfRecord(recordId) === name
  const options = { maxDocuments: 2 * sample, seed, scopeKeys, isOurs }
  const { documents, foreign } = await sampleDocuments(destination, options, signal)
  const held = Map.groupBy(await inspectOf(destination).stored(documents, signal), ({ recordId }) => recordId)
  const read = documents.flatMap(({ recordId }: SampledDocument): AuditedDocument[] => {
    const elements = held.get(recordId) ?? []
    const [first] = elements
    // Removed between the two requests.
    if (!first) return []
    const { title, record_locator: locator } = first.dataSource
    const forms = writtenForms(elements)
    return [
      {
        recordId,
        title: typeof title === 'string' ? title : '',
        locator: (locator ?? {}) as Record<string, string>,
        forms,
        isRestricted: forms.some(({ clauses }) => Object.keys(clauses).length > 1),
        named: [...new Set(forms.flatMap(usersNamed))].sort(),
      },
    ]
  })
  return { documents: read, foreign }
}
