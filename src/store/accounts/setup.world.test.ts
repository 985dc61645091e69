import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { freshDatabase } from '../../../test/world/postgres.ts'
import { closeDatabase, type Database, openDatabase } from '../database.ts'
import { migrate } from '../migrate.ts'
import { migrations } from '../migrations/all.ts'
import { insertInvitation, takeInvitation } from './invitations.ts'
import { addMember, changeMember, hasMembers, workspacesOf } from './members.ts'
import { insertPerson } from './people.ts'
import { createOrganisation, insertSetupLink, isSetupLink } from './setup.ts'

let db: Database
let drop: () => Promise<void>
const [workspaceId, keyId] = [randomUUID(), randomUUID()]

before(async () => {
  const fresh = await freshDatabase()
  drop = fresh.drop
  db = openDatabase(fresh.url)
  // A database from before accounts: a workspace and a key in use.
  const names = Object.keys(migrations)
  const older = names.filter((name) => name < '0003')
  await migrate(db, Object.fromEntries(older.map((name) => [name, migrations[name]!])))
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'First workspace')`.execute(db)
  await sql`insert into api_keys (id, workspace_id, name, sealed, lookup, last_four)
    values (${keyId}, ${workspaceId}, 'old', '', 'x', 'abcd')`.execute(db)
  assert.deepEqual(await migrate(db, migrations), names.slice(older.length))
})
after(async () => {
  await closeDatabase(db)
  await drop()
})

const person = (email: string) => (tx: Database) =>
  insertPerson(tx, { email, name: email, passwordHash: 'hash' })

test('it sets up for one of many simultaneous requests, and keeps nothing of the others', async () => {
  await insertSetupLink(db, 'one', new Date(Date.now() + 60_000))
  await insertSetupLink(db, 'late', new Date(Date.now() - 1))
  assert.deepEqual([await isSetupLink(db, 'one'), await isSetupLink(db, 'late')], [true, false])
  const founded = await Promise.all(
    [1, 2, 3, 4, 5].map((number) =>
      createOrganisation(db, { tier: 'personal', organisation: null }, person(`p${number}@acme.example`)),
    ),
  )
  const first = founded.filter((each) => each !== undefined)
  assert.equal(first.length, 1)
  assert.equal(first[0]?.workspaceId, workspaceId)
  assert.equal(await isSetupLink(db, 'one'), false)
  assert.ok(await hasMembers(db))
  const people = await db.selectFrom('auth_users').select('email').execute()
  assert.deepEqual(people, [{ email: first[0]?.person.email }])
})

test('it keeps the workspace of an old database and its keys, without a creator', async () => {
  const key = await db.selectFrom('api_keys').selectAll().where('id', '=', keyId).executeTakeFirstOrThrow()
  assert.deepEqual([key.created_by, key.enabled, key.workspace_id], [null, true, workspaceId])
})

test('it gives an invitation to one of many simultaneous requests', async () => {
  const inviter = await db.selectFrom('auth_users').select('id').executeTakeFirstOrThrow()
  const id = await insertInvitation(db, {
    workspaceId,
    email: 'Late@acme.example',
    role: 'viewer',
    tokenHash: 'hash',
    invitedBy: inviter.id,
    expiresAt: new Date(Date.now() + 60_000),
  })
  const taken = await Promise.all([1, 2, 3, 4].map(() => takeInvitation(db, id)))
  assert.deepEqual(
    taken.filter((each) => each !== undefined).map(({ email }) => email),
    ['late@acme.example'],
  )
})

test('it keeps one of two administrators who remove each other at once', async () => {
  const organisation = await db.selectFrom('organisations').select('id').executeTakeFirstOrThrow()
  const first = await db.selectFrom('auth_users').select('id').executeTakeFirstOrThrow()
  const second = await person('second@acme.example')(db)
  const joining = { organisationId: organisation.id, workspaceId, role: 'administrator' as const }
  await addMember(db, { ...joining, userId: second!.id })
  const outcomes = await Promise.all(
    [first.id, second!.id].map((userId) =>
      changeMember(db, workspaceId, { userId, role: null, disablesKeys: true }),
    ),
  )
  assert.deepEqual(outcomes.map(({ outcome }) => outcome).toSorted(), ['done', 'last_administrator'])
  const left = await Promise.all([first.id, second!.id].map((userId) => workspacesOf(db, userId)))
  assert.deepEqual(
    left.flat().map(({ role }) => role),
    ['administrator'],
  )
})
