import type { Level, Operation } from '../../connectors/connector.ts'
import type { AppError } from '../../errors.ts'
import { chainOf, type RuleStep } from './chain.ts'
import type { Document } from './documents.ts'
import { type AuditReader, clausesGrant, listGrants } from './granting.ts'

export const OPERATIONS: readonly Operation[] = ['read', 'update', 'delete']

/** A person and a document on which index and source disagree. */
export type Difference = {
  verdict: 'too_wide' | 'too_narrow'
  user: string
  record_id: string
  title: string
  operation: Operation
  /** `clauses`: `metadata.data_source.access`; `lists`: `permissions_data`. */
  form: 'clauses' | 'lists'
  /** What in the index grants it, or why it does not. */
  because: string
  element_ids: string[]
  chain: RuleStep[]
}

/** The source's answer now; `gone` if the document left. */
export type Fresh = { levels: Level[] } | { gone: string } | { failed: AppError }

export type Asked = { reader: AuditReader; document: Document; now: Fresh }
/** The source's own check, or its current rules. */
export type Judge = 'check' | 'rules'
export type Answers = { judge: Judge; allowed: Partial<Record<Operation, boolean>> }

/** `count` is called for every answer that is compared. */
export function* compareAccess(
  { reader, document, now, answers }: Asked & { answers: Answers },
  count: () => void,
): Iterable<Difference> {
  const chain = 'levels' in now ? chainOf(now.levels, reader) : []
  for (const form of document.forms) {
    for (const operation of OPERATIONS) {
      const allowed = answers.allowed[operation]
      if (allowed === undefined) continue
      const clauses = operation === 'read' ? { clauses: clausesGrant(form, reader)?.join(', ') ?? null } : {}
      const grants = { ...clauses, lists: listGrants(form, reader, operation) }
      for (const [name, by] of Object.entries(grants)) {
        count()
        if ((by !== null) === allowed) continue
        yield {
          verdict: by === null ? 'too_narrow' : 'too_wide',
          ...{ user: reader.id, record_id: document.recordId, title: document.title, operation },
          form: name === 'clauses' ? 'clauses' : 'lists',
          because: by === null ? whyNarrow(now, chain, operation) : whyWide(now, by),
          element_ids: form.elementIds,
          chain,
        }
      }
    }
  }
}

function whyWide(now: Fresh, by: string): string {
  return 'gone' in now ? `granted by ${by}, and ${now.gone}` : `granted by ${by}`
}

function whyNarrow(now: Fresh, chain: RuleStep[], operation: Operation): string {
  if ('failed' in now) return `the rules could not be read: ${now.failed.message}`
  const unread = chain.find(({ rule }) => rule.startsWith('could not be read'))
  if (unread) return `${unread.level} ${unread.id}: ${unread.rule}`
  const refusing = chain.find(({ satisfied }) => !satisfied)
  if (refusing) return `by the rules that can be read, ${refusing.level} ${refusing.id} refuses it`
  if (operation === 'read')
    return 'the rules grant it now: the index is older, or a group could not be resolved'
  return 'not proved when the document was written'
}
