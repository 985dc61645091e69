import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databaseProblem, isDatabaseUnreachable } from './database-problem.ts'

describe('a database that cannot be reached', () => {
  const address = 'postgresql://ada:canary@db.example/mill%20race'
  const failed = (code: string, message = 'canary') =>
    new Error('reaching the database', { cause: Object.assign(new Error(message), { code }) })

  for (const [code, says] of [
    ['ECONNREFUSED', 'no PostgreSQL listens on db.example:5432'],
    ['ENOTFOUND', 'the host db.example is unknown'],
    ['ETIMEDOUT', 'db.example:5432 cannot be reached'],
    ['28P01', 'db.example:5432 rejected the user "ada" or the password'],
    ['3D000', 'there is no database "mill race" on db.example:5432'],
  ] as const) {
    test(`is explained for ${code}`, () => assert.equal(databaseProblem(address, failed(code)), says))
  }

  test('shows the message of the driver for other codes', () => {
    assert.match(
      databaseProblem(address, failed('', 'no SSL here')),
      /^db.example:5432 cannot be used: no SSL here$/,
    )
  })

  test('is named by the directory of its socket', () => {
    const local = 'postgresql:///millrace?host=/run/postgresql'
    assert.equal(databaseProblem(local, failed('ENOENT')), 'no PostgreSQL listens on /run/postgresql:5432')
  })
})

test('it tells an unreachable database from a failed query', () => {
  const coded = (code: string, more: object = {}) => Object.assign(new Error('canary'), { code, ...more })
  const unreachable = [
    'ECONNREFUSED',
    'ECONNRESET',
    '57P01',
    '57P03',
    '3D000',
    '53300',
    '08006',
    '28P01',
  ].map((code) => coded(code))
  const messages = [
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
  ]
  for (const error of [
    ...unreachable,
    coded('ENOENT', { syscall: 'connect' }),
    ...messages.map((each) => new Error(each)),
  ])
    assert.ok(isDatabaseUnreachable(error), `${String(error)} ${JSON.stringify(error)}`)
  for (const error of [
    coded('23505'),
    coded('57014'),
    coded('ENOENT', { syscall: 'open' }),
    new TypeError('canary'),
  ])
    assert.ok(!isDatabaseUnreachable(error), JSON.stringify(error))
})
