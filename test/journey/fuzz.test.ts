import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { makeFlow, run } from '../world/flow.ts'
import { firstAdministrator } from '../world/person.ts'
import { pythonWithOpenapiTools } from '../world/python.ts'
import { fuzz } from '../world/schemathesis.ts'
import { TEST_KEY } from '../world/service.ts'
import { openWorld } from '../world/world.ts'

test('it is described by a valid OpenAPI document', async () => {
  const path = join(import.meta.dirname, '../../docs/openapi.json')
  const validator = ['-m', 'openapi_spec_validator', '--schema', '3.1', path]
  const { stdout } = await promisify(execFile)(await pythonWithOpenapiTools(), validator)
  assert.match(stdout, /: OK/)
})

// About 4,700 requests, most of the time in Python.
test('it answers generated requests as the OpenAPI document says', { timeout: 1_500_000 }, async () => {
  const world = await openWorld({ wiki: { seed: 3, pages: 6, spaces: 1, people: 4, groups: 2 }, role: 'api' })
  try {
    const { ada, workspace } = await firstAdministrator(world.millrace)
    const url = world.millrace.url ?? ''
    const flow = await makeFlow(world)
    const worker = await world.start('worker')
    const job = await run(world, flow)
    // Jobs that generated requests start stay in the queue.
    await worker.end('SIGTERM')
    const shared = {
      url,
      document: await (await fetch(`${url}/openapi.json`)).text(),
      ids: {
        sources: flow.sourceId,
        destinations: flow.destinationId,
        workflows: flow.workflowId,
        jobs: job.id,
      },
      seed: 14,
      maxExamples: 5,
    }
    const session = {
      Cookie: [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      Origin: url,
      'X-Requested-With': 'millrace',
      'X-Workspace': workspace,
    }
    const reports = await Promise.all([
      fuzz({ ...shared, operations: '/x-keys != "none"', headers: { Authorization: `Bearer ${TEST_KEY}` } }),
      fuzz({ ...shared, operations: '/x-keys == "none"', headers: session }),
    ])
    for (const report of reports) assert.equal(report, null, report ?? '')
  } finally {
    await world.close()
  }
})
