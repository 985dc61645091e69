import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { assertAgreement } from '../world/agreement.ts'
import { pythonWithClient } from '../world/python.ts'
import { TEST_KEY } from '../world/service.ts'
import { crawler, openWorld } from '../world/world.ts'

test('it works with the unmodified official Python client', async () => {
  const [python, world] = await Promise.all([
    pythonWithClient(),
    openWorld({ wiki: { seed: 8, pages: 40, spaces: 3, people: 8, groups: 4 } }),
  ])
  try {
    const script = join(import.meta.dirname, 'python_client.py')
    const { stdout } = await promisify(execFile)(python, [
      script,
      world.millrace.url ?? '',
      TEST_KEY,
      world.wiki.siteUrl,
      crawler.email,
      crawler.apiToken,
      world.engine.url,
      world.indexKey,
      world.index,
    ])
    assert.deepEqual(JSON.parse(stdout), {
      source_type: 'confluence',
      source_token: '**********',
      destination_type: 'elasticsearch',
      table: [
        'postgres',
        {
          ...{
            host: 'db.example.com',
            port: 5432,
            database: 'search',
            table_name: 'elements',
            batch_size: 50,
          },
          ...{ username: 'writer', password: '**********' },
        },
      ],
      source_check: 'SUCCESS',
      destination_check: 'SUCCESS',
      sources_by_either_name: [1, 1],
      destinations: 1,
      cron: '0 0 * * 0',
      nodes: ['unstructured_api', 'chunk_by_title'],
      workflows: 1,
      job: 'COMPLETED',
      processing_status: 'SUCCESS',
      node_types: ['source', 'partition', 'chunk', 'destination'],
      failed_files: 0,
      jobs: 1,
      templates: ['hi_res_and_enrichment', 'hi_res_partition'],
      on_demand: ['template', ['Mill', 'The wheel turns by the water.']],
      partitioned: ['Mill\n\nThe wheel turns by the water.'],
      after_delete: 404,
    })
    await assertAgreement(world)
  } finally {
    await world.close()
  }
})
