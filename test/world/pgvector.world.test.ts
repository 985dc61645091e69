import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { vectorDatabase } from './pgvector.ts'

test('it creates databases with and without pgvector, for roles that may not install it', async () => {
  const [one, other] = await Promise.all([vectorDatabase(), vectorDatabase({ isInstalled: false })])
  const distance = "select '[1,0]'::vector <=> '[0,1]'::vector as distance"
  assert.deepEqual(await query(one.url, distance), [{ distance: 1 }])
  await assert.rejects(query(other.url, distance), { code: '42704' })
  await assert.rejects(query(other.url, 'create extension vector'), { code: '42501' })
  await query(one.url, 'create table mine (id int)')
  const { password } = new URL(one.url)
  const wrong = one.url.replace(password, 'another')
  await assert.rejects(query(wrong, 'select 1'), { code: '28P01' })
  await Promise.all([one.drop(), other.drop()])
  await assert.rejects(query(one.url, 'select 1'), { code: '28P01' })
})

async function query(url: string, statement: string): Promise<object[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
