import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAway, unreachable } from './unreachable.ts'

describe('a database that cannot be reached', () => {
  const address = 'postgresql://ada:canary@db.example/mill%20race'
  const failed = (code: string, message = 'canary') =>
    new Error('reaching the database', { cause: Object.assign(new Error(message), { code }) })

  for (const [code, says] of [
    ['ECONNREFUSED', 'no PostgreSQL listens on db.example:5432'],
    ['ENOTFOUND', 'the host db.example is not known'],
    ['ETIMEDOUT', 'db.example:5432 cannot be reached'],
    ['28P01', 'db.example:5432 does not let the user "ada" in with this password'],
    ['3D000', 'there is no database "mill race" on db.example:5432'],
  ] as const) {
    test(`is told for ${code}`, () => assert.equal(unreachable(address, failed(code)), says))
  }

  test('is told in the words of the driver where it is none of these', () => {
    assert.match(
      unreachable(address, failed('', 'no SSL here')),
      /^db.example:5432 cannot be used: no SSL here$/,
    )
  })

  test('is named by the directory of its socket', () => {
    const local = 'postgresql:///millrace?host=/run/postgresql'
    assert.equal(unreachable(local, failed('ENOENT')), 'no PostgreSQL listens on /run/postgresql:5432')
  })
})

test('a query that failed for want of a database is told from one that failed by itself', () => {
  const coded = (code: string, more: object = {}) => Object.assign(new Error('canary'), { code, ...more })
  const away = ['ECONNREFUSED', 'ECONNRESET', '57P01', '57P03', '3D000', '53300', '08006', '28P01'].map(
    (code) => coded(code),
  )
  const words = ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect']
  for (const error of [
    ...away,
    coded('ENOENT', { syscall: 'connect' }),
    ...words.map((each) => new Error(each)),
  ])
    assert.ok(isAway(error), `${String(error)} ${JSON.stringify(error)}`)
  for (const error of [
    coded('23505'),
    coded('57014'),
    coded('ENOENT', { syscall: 'open' }),
    new TypeError('canary'),
  ])
    assert.ok(!isAway(error), JSON.stringify(error))
})
