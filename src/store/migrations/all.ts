import type { Migration } from 'kysely/migration'
import * as first from './0001-first.ts'
import * as taskDeaths from './0030-task-deaths.ts'
import * as sharedCounts from './0033-shared-counts.ts'
import * as onDemandJobs from './0036-on-demand-jobs.ts'
import * as auditLog from './0037-audit-log.ts'

/** In the order they run; released migrations never change. */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
  '0030-task-deaths': taskDeaths,
  '0033-shared-counts': sharedCounts,
  '0036-on-demand-jobs': onDemandJobs,
  '0037-audit-log': auditLog,
}
