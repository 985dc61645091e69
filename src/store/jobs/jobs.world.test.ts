import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migratedDatabase } from '../../../test/world/postgres.ts'
import { closeDatabase, openDatabase } from '../database.ts'
import type { JobKind } from '../schema.ts'
import { insertJob } from './jobs.ts'

test('it records the types of the connectors in jobs of every kind', async () => {
  const fresh = await migratedDatabase()
  const db = openDatabase(fresh.url)
  try {
    const [workspaceId, source, destination] = [randomUUID(), randomUUID(), randomUUID()]
    await sql`insert into workspaces (id, name) values (${workspaceId}::uuid, 'w')`.execute(db)
    await sql`insert into connectors (id, workspace_id, kind, name, type, config, wire) values
      (${source}::uuid, ${workspaceId}::uuid, 'source', 's', 'cabinet', '{}', '{}'),
      (${destination}::uuid, ${workspaceId}::uuid, 'destination', 'd', 'drawer', '{}', '{}')`.execute(db)
    const typesOf = async (kind: JobKind, sourceId: string | null, destinationId: string | null) => {
      const outcome = await insertJob(db, {
        ...{ id: randomUUID(), workspaceId, workflowId: randomUUID(), workflowName: 'flow', kind },
        ...{ jobType: 'persistent', startedBy: null },
        settings: { source_id: sourceId, destination_id: destinationId, nodes: [], reprocess_all: false },
      })
      assert.ok('inserted' in outcome)
      const { source_type, destination_type } = outcome.inserted.settings
      return [source_type, destination_type]
    }
    assert.deepEqual(await typesOf('content', source, destination), ['cabinet', 'drawer'])
    assert.deepEqual(await typesOf('permissions', source, destination), ['cabinet', 'drawer'])
    assert.deepEqual(await typesOf('verify', null, destination), [undefined, 'drawer'])
    assert.deepEqual(await typesOf('content', null, null), [undefined, undefined], 'uploaded files')
  } finally {
    await closeDatabase(db)
    await fresh.drop()
  }
})
