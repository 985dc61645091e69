import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { compileCache } from '../test/world/service.ts'

test('it shows two people their own results without Java and Maven, in the sandbox', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-demo-test-'))
  const bin = join(directory, 'bin')
  try {
    await mkdir(bin)
    // The guard that stops the service needs it.
    await symlink('/bin/cat', join(bin, 'cat'))
    // An empty cache, so that an engine built earlier is not found.
    const env = { PATH: bin, HOME: directory, PORT: '0', ...compileCache() }
    const demo = join(import.meta.dirname, 'demo.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [demo, '--once'], { env })
    assert.match(stdout, /^ {2}Without Java and Maven, the demo uses the sandbox in its own PostgreSQL\.$/m)
    assert.doesNotMatch(stdout, /Elasticsearch|✗/)
    assert.match(stdout, /201 pages found = 201 new/)
    assert.match(stdout, /elements of 201 pages are in the sandbox, with their permissions/)
    assert.match(stdout, /✓ Lena Fischer does not find "Salary bands 2026"; Priya Nair finds it\./)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
