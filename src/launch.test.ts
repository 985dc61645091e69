import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { LESS_MEMORY } from './node-options.ts'

const OLD =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.9.0"}})'
const SCRIPT =
  'console.log(JSON.stringify([process.pid, process.execArgv, process.argv.slice(2), process.env.MALLOC_ARENA_MAX, process.env.MALLOC_TRIM_THRESHOLD_, process.env.NODE_COMPILE_CACHE])); process.exitCode = 7'

describe('the start of a command', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'launch-'))
    for (const each of ['src', 'node_modules']) await mkdir(join(folder, each))
    for (const name of ['millrace.ts', 'launch.ts', 'node-options.ts'])
      await cp(join(import.meta.dirname, name), join(folder, 'src', name))
    await writeFile(join(folder, 'package.json'), '{ "type": "module", "version": "1.2.3" }')
    await writeFile(join(folder, 'src/main.ts'), SCRIPT)
    await writeFile(join(folder, 'src/backup.ts'), SCRIPT)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  async function run(args: string[], options: string[] = []) {
    const child = spawn(process.execPath, [...options, join(folder, 'src/millrace.ts'), ...args], {
      env: {
        ...process.env,
        MALLOC_ARENA_MAX: 'kept',
        MALLOC_TRIM_THRESHOLD_: undefined,
        XDG_CACHE_HOME: folder,
        NODE_COMPILE_CACHE: '',
      },
    })
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    return { pid: child.pid, code, stdout, stderr }
  }

  const cases: [string, string[], string[], string[]][] = [
    ['the service without a command', [], LESS_MEMORY, []],
    ['the service with its options', ['--role', 'api'], LESS_MEMORY, ['--role', 'api']],
    ['another command', ['backup', 'to.tar'], [], ['to.tar']],
  ]
  for (const [name, args, options, passed] of cases)
    test(`it becomes ${name}, with its exit code`, async () => {
      const { pid, code, stdout, stderr } = await run(args)
      const compiled = options.length > 0 ? join(folder, 'millrace/compiled') : ''
      const variable = options.length > 0 ? '131072' : null
      assert.deepEqual(
        [code, stderr, JSON.parse(stdout)],
        [7, '', [pid, options, passed, 'kept', variable, compiled]],
      )
    })

  test('it refuses an unknown command and lists the others', async () => {
    const { code, stderr } = await run(['restart'])
    assert.deepEqual(
      [code, stderr],
      [
        2,
        'millrace: unknown command "restart"; the commands are start, reset-password, rotate-key, backup, restore, migrate, health\n',
      ],
    )
  })

  test('it refuses an old Node in one line', async () => {
    const { code, stdout, stderr } = await run(['backup'], ['--import', OLD])
    assert.deepEqual(
      [code, stdout, stderr],
      [2, '', 'millrace needs Node 22.19 or later, and this is 20.9.0.\n'],
    )
  })

  test('it uses the installed Node instead of an old one', async () => {
    const installed = join(folder, `node_modules/node-${process.platform}-${process.arch}`)
    await mkdir(join(installed, 'bin'), { recursive: true })
    await writeFile(join(installed, 'package.json'), '{}')
    await symlink(process.execPath, join(installed, 'bin/node'))
    const { code, stdout } = await run(['backup', 'to.tar'], ['--import', OLD])
    assert.equal(code, 7)
    assert.deepEqual(JSON.parse(stdout).slice(1, 4), [[], ['to.tar'], 'kept'])
    await rm(installed, { recursive: true })
  })
})
