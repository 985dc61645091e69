import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { type ListPart, type ListRange, readPart } from '../keyset.ts'
import type { Role, Tier } from '../schema.ts'
import { deleteLinksOf } from './identities.ts'
import { deletePersonalTokensOf, disableKeysOf } from './keys.ts'
import { deletePasswordResetsBy } from './password-resets.ts'

/** Null both for non-members and for unknown workspaces, so that callers cannot tell them apart. */
export async function roleIn(db: Database, workspaceId: string, userId: string): Promise<Role | null> {
  const row = await db
    .selectFrom('workspace_members')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.role ?? null
}

export type Membership = { id: string; name: string; role: Role; admits_readers: boolean }

export async function listWorkspaces(
  db: Database,
  userId: string,
  range: ListRange,
): Promise<ListPart<Membership>> {
  return readPart(workspacesQuery(db, userId), WORKSPACE_ORDER, range)
}

const WORKSPACE_ORDER = { at: 'workspaces.created_at', id: 'workspaces.id', direction: 'asc' } as const

export async function workspacesOf(db: Database, userId: string): Promise<Membership[]> {
  return workspacesQuery(db, userId).orderBy(['workspaces.created_at', 'workspaces.id']).execute()
}

function workspacesQuery(db: Database, userId: string) {
  return db
    .selectFrom('workspace_members')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_members.workspace_id')
    .select(['workspaces.id', 'workspaces.name', 'workspace_members.role', 'workspaces.admits_readers'])
    .where('workspace_members.user_id', '=', userId)
}

export type Organisation = { id: string; tier: Tier; name: string | null; is_administrator: boolean }

export async function organisationOf(db: Database, userId: string): Promise<Organisation | undefined> {
  return db
    .selectFrom('organisation_members')
    .innerJoin('organisations', 'organisations.id', 'organisation_members.organisation_id')
    .select([
      'organisations.id',
      'organisations.tier',
      'organisations.name',
      'organisation_members.is_administrator',
    ])
    .where('organisation_members.user_id', '=', userId)
    .orderBy('organisations.created_at')
    .executeTakeFirst()
}

export async function organisationOfWorkspace(
  db: Database,
  workspaceId: string,
): Promise<{ id: string; tier: Tier; name: string | null; workspace: string } | undefined> {
  return db
    .selectFrom('workspaces')
    .innerJoin('organisations', 'organisations.id', 'workspaces.organisation_id')
    .select(['organisations.id', 'organisations.tier', 'organisations.name', 'workspaces.name as workspace'])
    .where('workspaces.id', '=', workspaceId)
    .executeTakeFirst()
}

/** False until the installation is set up. */
export async function hasMembers(db: Database): Promise<boolean> {
  const row = await db.selectFrom('workspace_members').select('user_id').limit(1).executeTakeFirst()
  return row !== undefined
}

export type Member = { user_id: string; email: string; name: string; role: Role; joined_at: Date }

const MEMBER_ORDER = {
  at: 'workspace_members.joined_at',
  id: 'workspace_members.user_id',
  direction: 'asc',
} as const

export async function listMembers(
  db: Database,
  workspaceId: string,
  range: ListRange,
): Promise<ListPart<Member>> {
  return readPart(membersQuery(db, workspaceId), MEMBER_ORDER, range)
}

export async function readMember(
  db: Database,
  workspaceId: string,
  userId: string,
): Promise<Member | undefined> {
  return membersQuery(db, workspaceId).where('workspace_members.user_id', '=', userId).executeTakeFirst()
}

export async function isMember(db: Database, workspaceId: string, email: string): Promise<boolean> {
  const found = await membersQuery(db, workspaceId).where('auth_users.email', '=', email).executeTakeFirst()
  return found !== undefined
}

function membersQuery(db: Database, workspaceId: string) {
  return db
    .selectFrom('workspace_members')
    .innerJoin('auth_users', 'auth_users.id', 'workspace_members.user_id')
    .select([
      'workspace_members.user_id',
      'auth_users.email',
      'auth_users.name',
      'workspace_members.role',
      'workspace_members.joined_at',
    ])
    .where('workspace_members.workspace_id', '=', workspaceId)
}

export type NewMembership = { organisationId: string; workspaceId: string; userId: string; role: Role }

/** An existing member keeps their role. */
export async function addMember(
  db: Database,
  { organisationId, workspaceId, userId, role }: NewMembership,
): Promise<void> {
  await db
    .insertInto('organisation_members')
    .values({ organisation_id: organisationId, user_id: userId, is_administrator: false })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await db
    .insertInto('workspace_members')
    .values({ workspace_id: workspaceId, user_id: userId, role })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export type MemberChange = {
  userId: string
  /** Null removes the member. */
  role: Role | null
  /** Whether to disable the keys the member created in this workspace. */
  disablesKeys: boolean
}
export type MemberChangeResult =
  | { outcome: 'done'; disabled: { id: string; name: string }[] }
  | { outcome: 'not_a_member' }
  | { outcome: 'last_administrator' }

/** Locks the workspace row: of two administrators who demote each other, one remains. */
export async function changeMember(
  db: Database,
  workspaceId: string,
  change: MemberChange,
): Promise<MemberChangeResult> {
  return db.transaction().execute((tx) => changeMemberIn(tx, workspaceId, change))
}

async function changeMemberIn(
  tx: Database,
  workspaceId: string,
  change: MemberChange,
): Promise<MemberChangeResult> {
  await sql`select 1 from workspaces where id = ${workspaceId}::uuid for update`.execute(tx)
  const member = await readMember(tx, workspaceId, change.userId)
  if (!member) return { outcome: 'not_a_member' }
  if (member.role === 'administrator' && change.role !== 'administrator') {
    const administrators = await membersQuery(tx, workspaceId)
      .where('workspace_members.role', '=', 'administrator')
      .limit(2)
      .execute()
    if (administrators.length === 1) return { outcome: 'last_administrator' }
  }
  // A former administrator must not return through an invitation or reset link they created.
  if (change.role !== 'administrator') {
    await deletePasswordResetsBy(tx, change.userId)
    await tx
      .deleteFrom('invitations')
      .where('workspace_id', '=', workspaceId)
      .where('invited_by', '=', change.userId)
      .execute()
  }
  const disabled = change.disablesKeys ? await disableKeysOf(tx, workspaceId, change.userId) : []
  if (change.role) {
    await tx
      .updateTable('workspace_members')
      .set({ role: change.role })
      .where('workspace_id', '=', workspaceId)
      .where('user_id', '=', change.userId)
      .execute()
    return { outcome: 'done', disabled }
  }
  await deletePersonalTokensOf(tx, workspaceId, change.userId)
  await deleteLinksOf(tx, workspaceId, change.userId)
  await tx
    .deleteFrom('workspace_members')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', change.userId)
    .execute()
  await leaveEmptyOrganisations(tx, change.userId)
  return { outcome: 'done', disabled }
}

export type LeaveResult =
  | { outcome: 'done'; left: { workspaceId: string; disabled: { id: string; name: string }[] }[] }
  /** `workspace` would have no administrator; null means the organisation would have none. */
  | { outcome: 'last_administrator'; workspace: string | null }

/** Leaves every workspace of the organisation and disables the keys created there, or changes nothing. */
export async function leaveOrganisation(
  db: Database,
  organisationId: string,
  userId: string,
): Promise<LeaveResult> {
  const refused = Symbol('rolls everything back')
  let last: string | null = null
  return db
    .transaction()
    .execute(async (tx): Promise<LeaveResult> => {
      await sql`select 1 from organisations where id = ${organisationId}::uuid for update`.execute(tx)
      const { rows } = await sql<{ others: boolean; mine: boolean }>`select
          coalesce(bool_or(is_administrator) filter (where user_id <> ${userId}::uuid), false) as others,
          coalesce(bool_or(is_administrator) filter (where user_id = ${userId}::uuid), false) as mine
        from organisation_members where organisation_id = ${organisationId}::uuid`.execute(tx)
      if (rows[0]?.mine && !rows[0].others) throw refused
      const workspaces = await tx
        .selectFrom('workspace_members')
        .innerJoin('workspaces', 'workspaces.id', 'workspace_members.workspace_id')
        .select(['workspaces.id', 'workspaces.name'])
        .where('workspace_members.user_id', '=', userId)
        .where('workspaces.organisation_id', '=', organisationId)
        // A fixed order prevents deadlocks between simultaneous requests.
        .orderBy('workspaces.id')
        .execute()
      const left = []
      for (const { id, name } of workspaces) {
        const change = await changeMemberIn(tx, id, { userId, role: null, disablesKeys: true })
        if (change.outcome === 'last_administrator') {
          last = name
          throw refused
        }
        if (change.outcome === 'done') left.push({ workspaceId: id, disabled: change.disabled })
      }
      await deletePasswordResetsBy(tx, userId)
      await tx
        .deleteFrom('organisation_members')
        .where('organisation_id', '=', organisationId)
        .where('user_id', '=', userId)
        .execute()
      return { outcome: 'done', left }
    })
    .catch((error: unknown): LeaveResult => {
      if (error !== refused) throw error
      return { outcome: 'last_administrator', workspace: last }
    })
}

/** Ends the membership of an organisation in which a non-administrator has no workspace left. */
async function leaveEmptyOrganisations(db: Database, userId: string): Promise<void> {
  await sql`delete from organisation_members as o where o.user_id = ${userId}::uuid and not o.is_administrator
    and not exists (select from workspace_members as m join workspaces as w on w.id = m.workspace_id
      where m.user_id = o.user_id and w.organisation_id = o.organisation_id)`.execute(db)
}
