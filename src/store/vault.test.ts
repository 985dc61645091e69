import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { loadMasterKeys } from './master-key-file.ts'
import { createVault, deriveFrom, type MasterKey } from './vault.ts'

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

  const [old, next]: [MasterKey, MasterKey] = [
    { id: null, key: randomBytes(32) },
    { id: 'next', key: randomBytes(32) },
  ]

  test('seals with the first key, whose id the value names, and opens with all', () => {
    const both = createVault([next, old])
    const [unnamed, named] = [createVault(old.key).seal('old', 'a'), both.seal('new', 'a')]
    assert.deepEqual([both.open(unnamed, 'a'), both.open(named, 'a')], ['old', 'new'])
    assert.deepEqual([unnamed[0], named[0], named.subarray(2, 6).toString()], [1, 2, 'next'])
    assert.equal(createVault([next]).open(named, 'a'), 'new')
    assert.throws(() => createVault([next]).open(unnamed, 'a'), { code: 'secret_unreadable' })
  })

  test('opens values without an id while the new key is listed last', () => {
    const unnamed = createVault(old.key).seal('old', 'a')
    assert.equal(createVault([{ ...old, id: 'old' }, next]).open(unnamed, 'a'), 'old')
  })

  test('opens values of its unnamed key that another process seals under an id', () => {
    const sealed = createVault([{ ...old, id: '2026' }, next]).seal('token', 'a')
    assert.equal(createVault(old.key).open(sealed, 'a'), 'token')
    assert.equal(createVault([next, old]).open(sealed, 'a'), 'token')
  })

  test('names the unknown key of a value, and the setting that lacks it', () => {
    const sealed = createVault([next]).seal('token', 'connector:w:1')
    for (const others of [[old], [{ ...next, id: 'other' }]])
      assert.throws(() => createVault(others).open(sealed, 'connector:w:1'), {
        code: 'secret_unreadable',
        message: 'opening the stored secret of connector:w:1, sealed with the master key "next"',
        fix: /^Add the key "next" to MILLRACE_MASTER_KEY/,
      })
  })

  test('refuses a named value with any byte changed or missing, or under another id', () => {
    const named = createVault([next])
    const sealed = named.seal('token', 'a')
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at]! ^= 1
      assert.throws(() => named.open(changed, 'a'), { code: 'secret_unreadable' }, `byte ${at}`)
      assert.throws(() => named.open(sealed.subarray(0, at), 'a'), { code: 'secret_unreadable' })
    }
    const renamed = Buffer.concat([Buffer.from('\x02\x04nexs'), sealed.subarray(6)])
    const twins = createVault([next, { ...next, id: 'nexs' }])
    assert.throws(() => twins.open(renamed, 'a'), { code: 'secret_unreadable' })
  })

  test('keeps lookups and secrets of the old key under a new one', () => {
    const before = createVault(old.key)
    const kept = { ...deriveFrom(old, ['sessions']), base: randomBytes(32) }
    const later = createVault([next], kept)
    assert.equal(later.lookup('key'), before.lookup('key'))
    assert.equal(later.secretFor('sessions'), before.secretFor('sessions'))
    assert.notEqual(later.secretFor('others'), before.secretFor('others'))
    assert.equal(createVault([next, old]).lookup('key'), before.lookup('key'))
  })

  test('accepts only a master key of 32 bytes', () => {
    assert.throws(() => createVault(randomBytes(31)), RangeError)
  })
})

describe('the master key', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-secrets-'))
  after(() => rm(directory, { recursive: true }))

  test('comes from the environment if set', async () => {
    const keys = [{ id: null, key: randomBytes(32) }]
    assert.equal(await loadMasterKeys(join(directory, 'unused'), keys), keys)
    assert.deepEqual(await readdir(directory), [])
  })

  test('is created once, readable only by its owner', async () => {
    const home = join(directory, 'deep', 'home')
    const keys = await loadMasterKeys(home, null)
    assert.deepEqual(
      keys.map(({ id, key }) => [id, key.length]),
      [[null, 32]],
    )
    assert.deepEqual(await loadMasterKeys(home, null), keys)
    assert.deepEqual(await readdir(home), ['master.key'])
    assert.equal((await stat(join(home, 'master.key'))).mode & 0o777, 0o600)
  })

  test('is the same for processes that start together', async () => {
    const home = join(directory, 'race')
    const script = `
      import { loadMasterKeys } from ${JSON.stringify(import.meta.resolve('./master-key-file.ts'))}
      const keys = await Promise.all(Array.from({ length: 20 }, () => loadMasterKeys(process.argv[1], null)))
      console.log([...new Set(keys.map(([{ key }]) => key.toString('base64')))].join())`
    const start = () =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, home], { env: {} })
    const keys = (await Promise.all([start(), start(), start()])).map(({ stdout }) => stdout.trim())
    assert.equal(new Set(keys).size, 1)
    assert.equal(keys[0], (await readFile(join(home, 'master.key'), 'utf8')).trim())
    assert.deepEqual(await readdir(home), ['master.key'])
  })

  test('is refused if others can read it, or if it is damaged', async () => {
    const home = join(directory, 'open')
    await loadMasterKeys(home, null)
    const path = join(home, 'master.key')
    await chmod(path, 0o644)
    await assert.rejects(loadMasterKeys(home, null), { code: 'secret_unreadable', fix: /chmod 600/ })
    await chmod(path, 0o600)
    await writeFile(path, 'half')
    await assert.rejects(loadMasterKeys(home, null), { code: 'secret_unreadable', message: /32 bytes/ })
  })

  test('is the first line of a file with several', async () => {
    const home = join(directory, 'several')
    const [old] = await loadMasterKeys(home, null)
    const path = join(home, 'master.key')
    const next = randomBytes(32)
    await writeFile(path, `next:${next.toString('base64')}\n\n${await readFile(path, 'utf8')}`)
    assert.deepEqual(await loadMasterKeys(home, null), [{ id: 'next', key: next }, old])
  })

  test('explains what to do if it cannot be created', async () => {
    await writeFile(join(directory, 'file'), '')
    await assert.rejects(loadMasterKeys(join(directory, 'file'), null), {
      code: 'secret_unreadable',
      fix: /MILLRACE_MASTER_KEY/,
    })
  })
})
