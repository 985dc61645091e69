import { ownLevel, restrictedLevels, type ShownLevel } from '../permissions/levels.ts'
import type { LedgerLevels } from '../store/ledger/permission-levels.ts'

/** `by` are the reader's own tokens that this level names. */
export type WhyLevel = ShownLevel & { by: string[] }
/** From the scope down; the last level is the one that decides. */
export type Why = { as_of: string; levels: WhyLevel[] }

/** Why a reader finds a document, by the permissions in the ledger. */
export function whyOf({ levels, ref, asOf }: LedgerLevels): Why {
  return {
    as_of: asOf.toISOString(),
    levels: restrictedLevels(levels, ref).map(({ level, id, title, who: by }) =>
      id === null ? { ...ownLevel(ref), by } : { level, id, title, by },
    ),
  }
}
