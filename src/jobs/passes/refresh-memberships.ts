import { type GroupMembership, type Source, VISITOR_MEMBERSHIP } from '../../connectors/source.ts'
import { AppError } from '../../errors.ts'
import {
  type Naming,
  PROVABLE_CLASSES,
  siteNaming,
  UNQUALIFIED_NAMING,
} from '../../permissions/principals.ts'
import {
  newerMembership,
  peopleToRefresh,
  type StoredMembership,
  storeMembership,
  takeStoredMembership,
  VISITORS,
} from '../../store/connectors/stored-memberships.ts'
import type { Database } from '../../store/database.ts'

/** `belonging` is null if the source has no people. */
export type SourceMembership = { site: { name: string; naming: Naming }; belonging: GroupMembership | null }

export type PersonOfSource = { sourceId: string; person: string }

/** Keeps an answer of the source for times when it is unreachable. `revision`: of the source before it was opened. */
export async function keepMembership(
  db: Database,
  person: PersonOfSource,
  { site, belonging, ...more }: SourceMembership & { readAt: Date; isUsed: boolean; revision: number },
): Promise<void> {
  const naming = namingKind(site, belonging)
  if (naming === undefined || !isStorable(person)) return
  const known = { site: { name: site.name, groups: naming }, belonging }
  await storeMembership(db, person, { known, ...more })
}

/** `readAt` is when the source was asked. */
export type ReadMembership = SourceMembership & { readAt: Date }

/** The stored answer, if it is not too old. */
export async function keptMembership(db: Database, person: PersonOfSource): Promise<ReadMembership | null> {
  return isStorable(person) ? fromStored(await takeStoredMembership(db, person)) : null
}

/** The answer that a permission pass or another process has read since. */
export async function membershipSince(
  db: Database,
  person: PersonOfSource,
  readAt: Date,
): Promise<ReadMembership | null> {
  return isStorable(person) ? fromStored(await newerMembership(db, person, readAt)) : null
}

function fromStored(stored: { known: StoredMembership; readAt: Date } | null): ReadMembership | null {
  if (!stored) return null
  const { site, belonging } = stored.known
  return {
    site: { name: site.name, naming: namingOf(site.name, site.groups) },
    belonging,
    readAt: stored.readAt,
  }
}

/**
 * Reads the groups of people again who were used lately. Returns the number of people read and the first error. An error
 * of the whole source ends it, because stored answers stay valid until their maximum age.
 */
export async function refreshMemberships(
  db: Database,
  { source, sourceId, revision }: { source: Source; sourceId: string; revision: number },
  signal: AbortSignal,
): Promise<{ read: number; error: AppError | null }> {
  let read = 0
  let first: AppError | null = null
  for (const person of await peopleToRefresh(db, sourceId)) {
    const readAt = new Date()
    try {
      const membership = await readMembership(source, person, signal)
      await keepMembership(db, { sourceId, person }, { ...membership, readAt, isUsed: false, revision })
      read++
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof AppError)) throw error
      first ??= error
      if (error.endsJob || error.code === 'rate_limited') break
    }
  }
  return { read, error: first }
}

/** Asks the source; `VISITORS` have no account. */
export async function readMembership(
  source: Source,
  person: string,
  signal: AbortSignal,
): Promise<SourceMembership> {
  const site = await source.site(signal)
  if (person === VISITORS) return { site, belonging: VISITOR_MEMBERSHIP }
  return { site, belonging: (await source.people?.groupsOf(person, signal)) ?? null }
}

/** PostgreSQL refuses NUL. */
function isStorable({ person }: PersonOfSource): boolean {
  return !person.includes('\0')
}

type NamingKind = StoredMembership['site']['groups']

const NAMING_KINDS: NamingKind[] = ['global', 'per site', 'unqualified']

/** Undefined if a source has a naming of its own: its answers are not stored. */
function namingKind(
  { name, naming }: SourceMembership['site'],
  belonging: GroupMembership | null,
): NamingKind | undefined {
  const groups = ['group/name', ...(belonging?.groups ?? [])]
  const classes = [...PROVABLE_CLASSES, ...(belonging?.classes ?? [])]
  return NAMING_KINDS.find((kind) => {
    const candidate = namingOf(name, kind)
    return (
      groups.every((group) => naming.group(group) === candidate.group(group)) &&
      classes.every((each) => naming.class(each) === candidate.class(each))
    )
  })
}

function namingOf(site: string, kind: NamingKind): Naming {
  return kind === 'unqualified' ? UNQUALIFIED_NAMING : siteNaming(site, kind)
}
