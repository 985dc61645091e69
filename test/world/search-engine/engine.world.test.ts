import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const engine = join(import.meta.dirname, 'engine.ts')
const script = `
  const { startSearchEngine } = await import(${JSON.stringify(engine)})
  const { url, createApiKey } = await startSearchEngine()
  const key = await createApiKey('wiki')
  const answer = await fetch(url + '/_security/_authenticate', { headers: { authorization: 'ApiKey ' + key.encoded } })
  console.log(JSON.stringify({ url, status: answer.status }))
  setInterval(() => {}, 60_000)
`

test('it ends when the process that started it is killed', { timeout: 300_000 }, async () => {
  const starter = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(starter.stdout), 'line')) as [string]
  const { url, status } = JSON.parse(line) as { url: string; status: number }
  assert.equal(status, 200)

  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => {}).resume()
  const closed = once(socket, 'close')
  starter.kill('SIGKILL')
  await closed
  // Its last connections may still be reset one by one; in the end nothing listens.
  while (!(await isRefused(Number(new URL(url).port)))) await sleep(50)
})

async function isRefused(port: number): Promise<boolean> {
  const again = connect(port, '127.0.0.1')
  try {
    await once(again, 'connect')
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
  } finally {
    again.destroy()
  }
}
