import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { shelf } from '../../../test/contract/toys/shelf.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/world/postgres.ts'
import { createRegistry } from '../../connectors/registry.ts'
import { searchindex } from '../../connectors/searchindex/type.ts'
import { closeDatabase, type Database, openDatabase } from '../../store/database.ts'
import { migrate } from '../../store/migrate.ts'
import { migrations } from '../../store/migrations/all.ts'
import { refuseOtherWriters } from './refusals.ts'

const registry = createRegistry({ sources: [], destinations: [searchindex, shelf] })
let fresh: FreshDatabase
let db: Database

before(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
})
after(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

describe('a swap of an index that another workflow writes', () => {
  test('it is refused for a destination of any type', async () => {
    const own = await addWorkflow('shelf', { path: '/srv/a.json' })
    await addWorkflow('shelf', { path: '/srv/b.json' })
    await refuseOtherWriters({ db, registry }, own.id, own)
    await addWorkflow('shelf', { path: '/srv/./a.json' })
    await assert.rejects(refuseOtherWriters({ db, registry }, own.id, own), { code: 'in_use' })
  })

  const cluster = 'https://one.example'
  const own = { hosts: [cluster, 'https://two.example'], index_name: 'pages' }
  const cases: [string, { hosts: string | string[]; index_name: string }, boolean][] = [
    ['by one of several hosts', { hosts: `${cluster}/`, index_name: 'pages' }, true],
    ['by the name behind the alias', { hosts: [cluster], index_name: 'pages-1' }, true],
    ['of another cluster', { hosts: ['https://three.example'], index_name: 'pages' }, false],
    ['of another name', { hosts: [cluster], index_name: 'others' }, false],
  ]
  for (const [what, config, isRefused] of cases)
    test(`it is ${isRefused ? 'refused' : 'allowed'} for an index ${what}`, async () => {
      await sql`delete from workflows`.execute(db)
      const workflow = await addWorkflow('searchindex', own)
      await addWorkflow('searchindex', config)
      const guard = refuseOtherWriters({ db, registry }, workflow.id, {
        ...workflow,
        otherNames: ['pages-1'],
      })
      await (isRefused ? assert.rejects(guard, { code: 'in_use' }) : guard)
    })
})

/** In a workspace of its own. */
async function addWorkflow(type: string, config: Record<string, unknown>) {
  const [id, workspaceId, destinationId] = [randomUUID(), randomUUID(), randomUUID()]
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${destinationId}, ${workspaceId}, 'destination', ${type}, 'd', ${JSON.stringify(config)}, '{}')`.execute(
    db,
  )
  await sql`insert into workflows (id, workspace_id, name, destination_id, workflow_type, nodes, reprocess_all, state)
    values (${id}, ${workspaceId}, 'w', ${destinationId}, 'custom', '[]', false, 'active')`.execute(db)
  return { id, name: 'd', type, config }
}
