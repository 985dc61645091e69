import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import type { App } from './context.ts'
import { requireDeclarations } from './declarations.ts'

function emptyApp(): App {
  const app: App = fastify()
  app.decorate('declarations', [])
  requireDeclarations(app)
  return app
}

test('accepts a route with a declaration, and records it', () => {
  const app = emptyApp()
  app.get('/a', { config: { allows: 'viewer', keys: true } }, async () => ({}))
  assert.deepEqual(app.declarations[0], { method: 'GET', url: '/a', allows: 'viewer', keys: true })
})

test('refuses a route without a declaration, or with half of it', () => {
  assert.throws(() => emptyApp().get('/b', async () => ({})), /GET \/b does not declare/)
  assert.throws(
    () => emptyApp().post('/c', { config: { allows: 'anyone' } }, async () => ({})),
    /POST \/c does not declare/,
  )
})
