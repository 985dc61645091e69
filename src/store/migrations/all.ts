import type { Migration } from 'kysely/migration'
import * as first from './0001-first.ts'
import * as files from './0002-files.ts'
import * as accounts from './0003-accounts.ts'
import * as runs from './0004-runs.ts'
import * as passwordResets from './0005-password-resets.ts'
import * as swaps from './0006-swaps.ts'
import * as modelAnswers from './0007-model-answers.ts'
import * as uploads from './0008-uploads.ts'
import * as swapMoves from './0009-swap-moves.ts'
import * as ownText from './0010-own-text.ts'

/** In the order they run; released migrations never change. */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
  '0002-files': files,
  '0003-accounts': accounts,
  '0004-runs': runs,
  '0005-password-resets': passwordResets,
  '0006-swaps': swaps,
  '0007-model-answers': modelAnswers,
  '0008-uploads': uploads,
  '0009-swap-moves': swapMoves,
  '0010-own-text': ownText,
}
