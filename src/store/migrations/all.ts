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
import * as wantedState from './0011-wanted-state.ts'
import * as taskTurns from './0012-task-turns.ts'
import * as siteRequests from './0013-site-requests.ts'
import * as periodicTasks from './0014-periodic-tasks.ts'
import * as claims from './0015-claims.ts'
import * as survive from './0016-survive.ts'
import * as verifications from './0017-verifications.ts'
import * as searchKeys from './0018-search-keys.ts'
import * as identities from './0019-identities.ts'
import * as notifications from './0020-notifications.ts'
import * as principalNames from './0021-principal-names.ts'
import * as documentVersions from './0022-document-versions.ts'
import * as runTimes from './0023-run-times.ts'
import * as jobStages from './0024-job-stages.ts'
import * as modelTokens from './0025-model-tokens.ts'
import * as uploadUsage from './0026-upload-usage.ts'
import * as masterKeys from './0027-master-keys.ts'
import * as connectorRevisions from './0028-connector-revisions.ts'
import * as sourceDecisions from './0029-source-decisions.ts'
import * as taskDeaths from './0030-task-deaths.ts'

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
  '0011-wanted-state': wantedState,
  '0012-task-turns': taskTurns,
  '0013-site-requests': siteRequests,
  '0014-periodic-tasks': periodicTasks,
  '0015-claims': claims,
  '0016-survive': survive,
  '0017-verifications': verifications,
  '0018-search-keys': searchKeys,
  '0019-identities': identities,
  '0020-notifications': notifications,
  '0021-principal-names': principalNames,
  '0022-document-versions': documentVersions,
  '0023-run-times': runTimes,
  '0024-job-stages': jobStages,
  '0025-model-tokens': modelTokens,
  '0026-upload-usage': uploadUsage,
  '0027-master-keys': masterKeys,
  '0028-connector-revisions': connectorRevisions,
  '0029-source-decisions': sourceDecisions,
  '0030-task-deaths': taskDeaths,
}
