import { emailsOf } from '../../connectors/capabilities.ts'
import type { Source } from '../../connectors/source.ts'
import { AppError } from '../../errors.ts'
import { beginFill, storeSourceReading, wantsFill } from '../../store/accounts/identities.ts'
import { normalizeEmail } from '../../store/accounts/people.ts'
import type { Database } from '../../store/database.ts'

/** `revision`: of the source before it was opened. */
type Filled = { source: Source; sourceId: string; revision: number; workspaceId: string }

/** Permission passes run every few minutes; addresses rarely change. */
const REFRESH_MS = 6 * 3600_000

const ADDRESS = /^\S{1,190}@\S{1,64}$/

/** Replaces the identities that the source itself shows. Nothing changes if it cannot be read to the end. */
export async function fillIdentities(
  db: Database,
  { source, sourceId, revision, workspaceId }: Filled,
  signal: AbortSignal,
): Promise<{ accounts: number; emails: number }> {
  const began = new Date()
  await beginFill(db, sourceId, { began, afterMs: 0 })
  const people = await emailsOf(source)(signal)
  const emails = people.flatMap(({ account, email }) =>
    email && ADDRESS.test(email) ? [{ kind: 'email' as const, value: normalizeEmail(email), account }] : [],
  )
  const accounts = people.map(({ account, name }) => ({ account, name }))
  await storeSourceReading(db, { workspaceId, sourceId, revision, accounts, emails, began })
  return { accounts: accounts.length, emails: emails.length }
}

/** Within a permission pass; an error of the source is returned, because stored identities stay valid. */
export async function refreshIdentities(
  db: Database,
  filled: Filled,
  signal: AbortSignal,
): Promise<AppError | null> {
  const { source, sourceId } = filled
  if (!source.emails || !(await wantsFill(db, sourceId))) return null
  if (!(await beginFill(db, sourceId, { began: new Date(), afterMs: REFRESH_MS }))) return null
  try {
    await fillIdentities(db, filled, signal)
    return null
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError)) throw error
    return error
  }
}
