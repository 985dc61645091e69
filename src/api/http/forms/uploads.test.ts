import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, describe, test } from 'node:test'
import { openUploads } from './uploads.ts'

const parent = mkdtempSync(join(tmpdir(), 'uploads-test-'))
const label = hostname().replaceAll(/[^A-Za-z0-9.]/g, '_')
const LONG_AGO = new Date(Date.now() - 25 * 3600_000)

describe('the folder of uploads', () => {
  after(() => rmSync(parent, { recursive: true, force: true }))

  function folder(host: string, pid: number): string {
    const path = join(parent, `millrace-uploads-${host}-${pid}-abcdef`)
    mkdirSync(path)
    utimesSync(path, LONG_AGO, LONG_AGO)
    return path
  }

  test('it keeps old folders of running processes, and removes those of ended ones', async () => {
    const running = folder(label, process.ppid)
    const ended = folder(label, 2 ** 30)
    const elsewhere = folder('other.host', process.ppid)
    const uploads = await openUploads(parent)
    assert.deepEqual([running, ended, elsewhere].map(existsSync), [true, false, false])
    await uploads.close()
    rmSync(running, { recursive: true })
  })

  test('it creates a folder again that was removed', async () => {
    const uploads = await openUploads(parent)
    const [name = ''] = readdirSync(parent)
    rmSync(join(parent, name), { recursive: true })
    const upload = uploads.begin('w')
    const files = await Promise.all(
      ['a', 'b'].map((text) => upload.receive(Readable.from([Buffer.from(text)]), () => {})),
    )
    assert.deepEqual(await Promise.all(files.map(async (file) => (await file.read()).toString())), ['a', 'b'])
    assert.equal(statSync(join(parent, name)).mode & 0o777, 0o700)
    await upload.close()
    await uploads.close()
  })

  test('it limits the disk space of a workspace until its uploads are closed', async () => {
    const uploads = await openUploads(parent, { workspaceBytes: 10 })
    const receive = async (workspaceId: string, bytes: number) => {
      const upload = uploads.begin(workspaceId)
      await upload.receive(Readable.from([Buffer.alloc(bytes)]), () => {}).finally(upload.arrived)
      return upload
    }
    const first = await receive('a', 6)
    const refused = uploads.begin('a')
    await assert.rejects(
      refused.receive(Readable.from([Buffer.alloc(6)]), () => {}),
      {
        code: 'rate_limited',
        retryAfterSeconds: 10,
      },
    )
    await refused.close()
    assert.equal(uploads.refusals().get('disk'), 1)
    const other = await receive('b', 6)
    assert.equal(uploads.spooledBytes(), 12)
    await first.close()
    const next = await receive('a', 10)
    assert.equal(uploads.spooledBytes(), 16)
    for (const upload of [other, next]) await upload.close()
    assert.equal(uploads.spooledBytes(), 0)
    await uploads.close()
  })
})
