import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { provideServer } from './debian-packages.ts'

const run = promisify(execFile)
const ops = join(import.meta.dirname, '../../ops')

test('it passes the checks and the tests of promtool', async () => {
  const promtool = await provideServer('promtool', 'prometheus')
  await run(promtool, ['check', 'rules', join(ops, 'alerts.yml')])
  await run(promtool, ['test', 'rules', join(ops, 'alerts.test.yml')])
})
