import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { createVault, loadMasterKey } from './vault.ts'

describe('a vault', () => {
  const vault = createVault(randomBytes(32))

  test('opens what it sealed', () => {
    for (const text of ['', 'token', 'пароль 🔑', 'x'.repeat(100_000)]) {
      assert.equal(vault.open(vault.seal(text, 'connector:w:1'), 'connector:w:1'), text)
    }
  })

  test('never seals to the same bytes twice, and hides the text', () => {
    const sealed = vault.seal('canary-token', 'a')
    assert.notDeepEqual(sealed, vault.seal('canary-token', 'a'))
    assert.ok(!sealed.includes('canary'))
  })

  test('opens a secret only for its owner', () => {
    const sealed = vault.seal('token', 'connector:w1:1')
    assert.throws(() => vault.open(sealed, 'connector:w2:1'), { code: 'secret_unreadable' })
  })

  test('explains how to fix a wrong master key', () => {
    const sealed = vault.seal('token', 'a')
    assert.throws(() => createVault(randomBytes(32)).open(sealed, 'a'), {
      code: 'secret_unreadable',
      fix: /master key/,
    })
  })

  test('refuses a sealed value with any byte changed or missing', () => {
    const sealed = vault.seal('token', 'a')
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at]! ^= 1
      assert.throws(() => vault.open(changed, 'a'), { code: 'secret_unreadable' }, `byte ${at}`)
      assert.throws(() => vault.open(sealed.subarray(0, at), 'a'), { code: 'secret_unreadable' })
    }
  })

  test('looks a value up by an HMAC that depends on the master key', () => {
    assert.equal(vault.lookup('key'), vault.lookup('key'))
    assert.notEqual(vault.lookup('key'), vault.lookup('kez'))
    assert.notEqual(vault.lookup('key'), createVault(randomBytes(32)).lookup('key'))
    assert.match(vault.lookup('key'), /^[0-9a-f]{64}$/)
  })

  test('accepts only a master key of 32 bytes', () => {
    assert.throws(() => createVault(randomBytes(31)), RangeError)
  })
})

describe('the master key', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-secrets-'))
  after(() => rm(directory, { recursive: true }))

  test('comes from the environment if set', async () => {
    const key = randomBytes(32)
    assert.equal(await loadMasterKey(join(directory, 'unused'), key), key)
    assert.deepEqual(await readdir(directory), [])
  })

  test('is created once, readable only by its owner', async () => {
    const home = join(directory, 'deep', 'home')
    const key = await loadMasterKey(home, null)
    assert.equal(key.length, 32)
    assert.deepEqual(await loadMasterKey(home, null), key)
    assert.deepEqual(await readdir(home), ['master.key'])
    assert.equal((await stat(join(home, 'master.key'))).mode & 0o777, 0o600)
  })

  test('is the same for processes that start together', async () => {
    const home = join(directory, 'race')
    const script = `
      import { loadMasterKey } from ${JSON.stringify(import.meta.resolve('./vault.ts'))}
      const keys = await Promise.all(Array.from({ length: 20 }, () => loadMasterKey(process.argv[1], null)))
      console.log([...new Set(keys.map((key) => key.toString('base64')))].join())`
    const start = () =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, home], { env: {} })
    const keys = (await Promise.all([start(), start(), start()])).map(({ stdout }) => stdout.trim())
    assert.equal(new Set(keys).size, 1)
    assert.equal(keys[0], (await readFile(join(home, 'master.key'), 'utf8')).trim())
    assert.deepEqual(await readdir(home), ['master.key'])
  })

  test('is refused if others can read it, or if it is damaged', async () => {
    const home = join(directory, 'open')
    await loadMasterKey(home, null)
    const path = join(home, 'master.key')
    await chmod(path, 0o644)
    await assert.rejects(loadMasterKey(home, null), { code: 'secret_unreadable', fix: /chmod 600/ })
    await chmod(path, 0o600)
    await writeFile(path, 'half')
    await assert.rejects(loadMasterKey(home, null), { code: 'secret_unreadable', message: /32 bytes/ })
  })

  test('explains what to do if it cannot be created', async () => {
    await writeFile(join(directory, 'file'), '')
    await assert.rejects(loadMasterKey(join(directory, 'file'), null), {
      code: 'secret_unreadable',
      fix: /MILLRACE_MASTER_KEY/,
    })
  })
})
