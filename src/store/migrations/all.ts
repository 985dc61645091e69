import type { Migration } from 'kysely/migration'
import * as first from './0001-first.ts'

/** In the order they run; released migrations never change. */
export const migrations: Record<string, Migration> = { '0001-first': first }
