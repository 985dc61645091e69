import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freshDatabase } from './postgres.ts'
import { commandsContaining } from './processes.ts'

test('it creates an empty database and drops it', async () => {
  const [one, two] = await Promise.all([freshDatabase(), freshDatabase()])
  await query(one.url, 'create table mine (id int)')
  await assert.rejects(query(two.url, 'select * from mine'), { code: '42P01' })
  await Promise.all([one.drop(), two.drop()])
  await assert.rejects(query(one.url, 'select 1'), { code: '3D000' })
})

test('it fills a template once and copies it', async () => {
  let filled = 0
  const template = async (url: string) => {
    filled++
    await query(url, 'create table kept as select 7 as id')
  }
  const all = await Promise.all([1, 2, 3].map(() => freshDatabase({ template })))
  for (const { url, drop } of all) {
    assert.deepEqual(await query(url, 'select id from kept'), [{ id: 7 }])
    await drop()
  }
  assert.equal(filled, 1)
})

test('it cleans up after a killed process', async () => {
  const script = `const { testServer } = await import(${JSON.stringify(new URL('postgres.ts', import.meta.url).href)})
    console.log(await testServer()); setInterval(() => {}, 1000)`
  const { MILLRACE_TEST_PG_URL: _, ...env } = process.env
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env })
  const [line] = await once(child.stdout, 'data')
  const url = String(line).trim()
  assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }])
  const port = ` -c port=${new URL(url).port} `
  const [server = ''] = (await commandsContaining(port.trim())).filter((line) => `${line} `.includes(port))
  const folder = /-D (\S*\/millrace-postgres-[^/]+)\//.exec(server)?.[1] ?? assert.fail(server)
  child.kill('SIGKILL')
  await once(child, 'exit')
  // The test's own time limit ends it.
  while (existsSync(folder)) await sleep(20)
  await assert.rejects(query(url, 'select 1'), { code: 'ECONNREFUSED' })
})

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
