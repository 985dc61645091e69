import assert from 'node:assert/strict'
import { test } from 'node:test'
import { budgetWarning } from './connection-budget.ts'

test('it warns if the server has no room for three such processes', () => {
  const connections = { main: 20, engine: 11, notifications: 1 }
  assert.equal(budgetWarning({ connections, max_connections: 100, processes: 3 }), null)
  assert.equal(
    budgetWarning({ connections, max_connections: 80, processes: 2 }),
    'PostgreSQL allows 80 connections, room for 2 processes with 32 each; ' +
      'raise max_connections or lower MILLRACE_DATABASE_CONNECTIONS',
  )
})
