import type { Level, Operation } from '../../connectors/source.ts'
import type { AppError } from '../../errors.ts'
import { chainOf, type RuleStep, unreadRule } from './chain.ts'
import type { AuditedDocument } from './documents.ts'
import { type AuditReader, grantingClauses, grantingEntry } from './granting.ts'

export const OPERATIONS: readonly Operation[] = ['read', 'update', 'delete']

/** A person and a document on which index and source disagree. */
export type Disagreement = {
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

/** The current rules of the source; `gone` if the document left. */
export type CurrentRules = { levels: Level[] } | { gone: string } | { failed: AppError }

export type AuditQuestion = { reader: AuditReader; document: AuditedDocument; rules: CurrentRules }
/** Who decides: `check`, the source itself (`checkPermission`), or `rules`, Millrace by the source's current rules. */
export type Judge = 'check' | 'rules'
export type SourceAnswers = { judge: Judge; allowed: Partial<Record<Operation, boolean>> }

/** `count` is called for every answer that is compared. */
export function* compareAccess(
  { reader, document, rules, answers }: AuditQuestion & { answers: SourceAnswers },
  count: () => void,
): Iterable<Disagreement> {
  const chain = 'levels' in rules ? chainOf(rules.levels, reader) : []
  for (const form of document.forms) {
    for (const operation of OPERATIONS) {
      const allowed = answers.allowed[operation]
      if (allowed === undefined) continue
      const clauses =
        operation === 'read' ? { clauses: grantingClauses(form, reader)?.join(', ') ?? null } : {}
      const grants = { ...clauses, lists: grantingEntry(form, reader, operation) }
      for (const [name, by] of Object.entries(grants)) {
        count()
        if ((by !== null) === allowed) continue
        yield {
          verdict: by === null ? 'too_narrow' : 'too_wide',
          user: reader.id,
          record_id: document.recordId,
          title: document.title,
          operation,
          form: name === 'clauses' ? 'clauses' : 'lists',
          because: by === null ? reasonTooNarrow(rules, chain, operation) : reasonTooWide(rules, by),
          element_ids: form.elementIds,
          chain,
        }
      }
    }
  }
}

function reasonTooWide(rules: CurrentRules, by: string): string {
  return 'gone' in rules ? `granted by ${by}, and ${rules.gone}` : `granted by ${by}`
}

function reasonTooNarrow(rules: CurrentRules, chain: RuleStep[], operation: Operation): string {
  if ('failed' in rules) return `the rules could not be read: ${rules.failed.message}`
  for (const level of 'levels' in rules ? rules.levels : [])
    if ('unread' in level) return `${level.level} ${level.id}: ${unreadRule(level.unread)}`
  const refusing = chain.find(({ satisfied }) => !satisfied)
  if (refusing) return `by the rules that can be read, ${refusing.level} ${refusing.id} refuses it`
  if (operation === 'read')
    return 'the rules grant it now: the index is older, or a group could not be resolved'
  return 'not proved when the document was written'
}
