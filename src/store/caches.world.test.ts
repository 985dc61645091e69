import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import { closeDatabase, type Database, openDatabase } from './database.ts'
import { findVectors, pruneVectors, putVectors } from './ledger/embeddings.ts'
import { findAnswer, pruneAnswers, putAnswer } from './ledger/model-answers.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/all.ts'

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

const key = (n: number) => n.toString(16).padStart(64, '0')

test('it prunes the least recently used vectors, by size and not by number', async () => {
  const wide = new Float32Array(3072).fill(0.5)
  await putVectors(db, new Map([1, 2, 3].map((n) => [key(n), wide])))
  await putVectors(db, new Map([[key(4), new Float32Array(384).fill(0.25)]]))
  await sql`update embeddings set used_on = current_date - 2`.execute(db)
  const used = await findVectors(db, [key(3), key(4)])
  assert.deepEqual(used.get(key(3)), wide)
  await pruneVectors(db, 2 * (3072 * 4 + 100))
  const left = await findVectors(db, [1, 2, 3, 4].map(key))
  assert.deepEqual([...left.keys()].sort(), [key(3), key(4)])
})

test('it keeps each answer once and prunes the least recently used', async () => {
  assert.equal(await findAnswer(db, key(1)), null)
  await putAnswer(db, key(1), 'a heron\0 below the weir')
  await putAnswer(db, key(1), 'another')
  assert.equal(await findAnswer(db, key(1)), 'a heron below the weir')
  await putAnswer(db, key(2), 'x'.repeat(1000))
  await sql`update model_answers set used_on = current_date - 2`.execute(db)
  await findAnswer(db, key(1))
  await pruneAnswers(db, 500)
  assert.deepEqual(
    [await findAnswer(db, key(1)), await findAnswer(db, key(2))],
    ['a heron below the weir', null],
  )
})

test('it prunes answers not used for a month', async () => {
  for (const n of [5, 6]) await putAnswer(db, key(n), 'a heron')
  for (const [n, days] of [
    [5, 30],
    [6, 31],
  ] as const)
    await sql`update model_answers set used_on = current_date - ${days}::int where key = decode(${key(n)}, 'hex')`.execute(
      db,
    )
  await pruneAnswers(db)
  assert.deepEqual([await findAnswer(db, key(5)), await findAnswer(db, key(6))], ['a heron', null])
})
