import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { confinement } from './confinement.ts'
import { createFileReading } from './file-reading.ts'

const root = join(import.meta.dirname, '../../../..')
const temporary = mkdtempSync(join(tmpdir(), 'confinement-'))
after(() => rmSync(temporary, { recursive: true, force: true }))

test('it lets a reader read its code and use its folder only', () => {
  const own = mkdtempSync(join(temporary, 'own-'))
  const key = join(temporary, 'key')
  for (const path of [key, join(own, 'given')]) writeFileSync(path, 'secret')
  const script = `
    const { readFileSync, writeFileSync } = require('node:fs')
    const can = (act) => { try { act(); return true } catch (error) { return error.code } }
    const read = (path) => can(() => readFileSync(path))
    console.log(JSON.stringify({
      own: read(${JSON.stringify(join(own, 'given'))}),
      code: read(${JSON.stringify(import.meta.filename)}),
      library: read(${JSON.stringify(join(root, 'node_modules/marked/package.json'))}),
      key: read(${JSON.stringify(key)}),
      project: read(${JSON.stringify(join(root, 'README.md'))}),
      machine: read('/etc/passwd'),
      process: read('/proc/self/environ'),
      write: can(() => writeFileSync(${JSON.stringify(key)}, 'x')),
      writeOwn: can(() => writeFileSync(${JSON.stringify(join(own, 'new'))}, 'x')),
      start: can(() => require('node:child_process').spawnSync('true')),
    }))`
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', ...confinement(own), '-e', script],
    { encoding: 'utf8', cwd: own },
  )
  const denied = 'ERR_ACCESS_DENIED'
  assert.deepEqual(
    JSON.parse(stdout || '{}'),
    {
      ...{ own: true, code: true, library: true, writeOwn: true },
      ...{ key: denied, project: denied, machine: denied, process: denied, write: denied, start: denied },
    },
    stderr,
  )
})

test('it starts a reader with only these permissions', {
  skip: !existsSync('/proc/self/cmdline'),
}, async () => {
  const files = createFileReading({ readers: 1 })
  const file = { filename: 'a.csv', filetype: 'text/csv', url: '', strategy: 'auto' as const, languages: [] }
  // A process that has only just started has no command line yet.
  await files.read({ ...file, bytes: Buffer.from('a,b\n1,2') }, new AbortController().signal)
  const parts = readFileSync(`/proc/${files.pids()[0]}/cmdline`, 'utf8').split('\0')
  await files.close()
  const allowed = parts.filter((part) => part.startsWith('--allow-'))
  const folder = allowed.find((part) => part.includes('millrace-reader-'))?.split('=')[1] ?? ''
  assert.equal(existsSync(folder), false)
  assert.ok(parts.includes('--permission'))
  assert.ok(allowed.length > 4)
  assert.deepEqual(
    allowed.filter((part) => part.includes('*') || part === '--allow-child-process'),
    [],
  )
  assert.ok(!allowed.includes(`--allow-fs-read=${root}`) && !allowed.includes(`--allow-fs-read=${tmpdir()}`))
})

test('it detects the language of a file', async () => {
  const files = createFileReading({ readers: 1 })
  const text =
    'Die Rechnungen werden bis zum Ende des Jahres aufbewahrt, und danach werden sie im Archiv abgelegt.'
  const file = {
    filename: 'a.md',
    filetype: 'text/markdown',
    url: '',
    strategy: 'auto' as const,
    languages: [],
  }
  const { elements } = await files.read({ ...file, bytes: Buffer.from(text) }, new AbortController().signal)
  await files.close()
  assert.deepEqual(elements[0]?.metadata.languages, ['deu'])
})
