import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { until } from '../../../../test/world/flow.ts'
import type { ApiContext, App } from '../../http/context.ts'
import { openUploads, type Uploads } from '../../http/forms/uploads.ts'
import { elementRoutes } from './elements.ts'

describe('the elements of files', () => {
  const parent = mkdtempSync(join(tmpdir(), 'elements-test-'))
  const app = fastify() as unknown as App
  const held: (() => void)[] = []
  let running = 0
  let mostRunning = 0
  let uploads: Uploads
  const runner = {
    async work() {
      running++
      mostRunning = Math.max(running, mostRunning)
      await new Promise<void>((resolve) => held.push(resolve))
      running--
      return { elements: [], warnings: [] }
    },
  }
  before(async () => {
    uploads = await openUploads(parent, { memoryBytes: 10 })
    app.setValidatorCompiler(validatorCompiler)
    app.setSerializerCompiler(serializerCompiler)
    app.decorateRequest('caller', null)
    app.addHook('onRequest', async (request) => {
      request.caller = { workspaceId: 'w' } as never
    })
    const runners = { create: async () => runner }
    const resources = { runners: { forTenant: () => runners }, meter: () => null }
    await elementRoutes(app, { resources, uploads } as unknown as ApiContext)
  })
  after(async () => {
    await app.close()
    await uploads.close()
    rmSync(parent, { recursive: true, force: true })
  })

  test('it keeps files on disk while others take the memory', async () => {
    const headers = { 'content-type': 'application/octet-stream' }
    const answers = ['Water 1.', 'Water 2.', 'Water 3.'].map((payload) =>
      app.inject({ method: 'POST', url: '/elements', headers, payload }),
    )
    const all = Promise.all(answers)
    await until(
      async () => [held.length, uploads.arriving(), uploads.spooledBytes()].join(),
      (state) => state === '1,0,24',
      60,
    )
    for (let left = 3; left > 0; left--) {
      await until(
        async () => held.length,
        (count) => count === 1,
        60,
      )
      held.pop()?.()
    }
    for (const { statusCode, body } of await all) assert.equal(statusCode, 200, body)
    assert.equal(mostRunning, 1)
    assert.equal(uploads.spooledBytes(), 0)
  })
})
