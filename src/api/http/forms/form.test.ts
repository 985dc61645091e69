import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fastify from 'fastify'
import type { App } from '../context.ts'
import { sendError } from '../errors.ts'
import { acceptForms, withForm } from './form.ts'
import { openUploads, type Uploads } from './uploads.ts'

describe('a form', () => {
  const parent = mkdtempSync(join(tmpdir(), 'form-test-'))
  const logged: string[] = []
  const app = fastify({
    logger: { level: 'error', stream: { write: (line: string) => void logged.push(line) } },
  }) as unknown as App
  let uploads: Uploads
  before(async () => {
    uploads = await openUploads(parent)
    app.setErrorHandler(sendError)
    app.decorateRequest('caller', null)
    app.addHook('onRequest', async (request) => {
      request.caller = { workspaceId: 'w', role: 'developer', actor: 'test' } as never
    })
    await acceptForms(app, { fileBytes: 1000 })
    app.post('/', async (request) =>
      withForm(request, { uploads, fileField: 'files' }, async ({ files }) => ({ files: files.length })),
    )
  })
  after(async () => {
    await app.close()
    rmSync(parent, { recursive: true, force: true })
  })

  const part = '--x\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\n\r\nWater\r\n'
  const post = async (body: string, boundary = 'x') => {
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    const { statusCode, payload } = await app.inject({ method: 'POST', url: '/', headers, payload: body })
    return [statusCode, payload]
  }

  test('it gives the files', async () => {
    assert.deepEqual(await post(`${part}--x--\r\n`), [200, '{"files":1}'])
  })

  test('it refuses forms that are incomplete or malformed', async () => {
    const forbidden = '--x\r\ncontent-disposition: form-data; name="constructor"\r\n\r\n1\r\n--x--\r\n'
    const forms: [string, string?][] = [
      [part],
      [part.slice(0, -4)],
      ['x'],
      [forbidden],
      [part, 'y'.repeat(300)],
    ]
    for (const [body, boundary] of forms) {
      const [status, text] = await post(body, boundary)
      assert.equal(status, 422, body)
      assert.match(String(text), /the form is incomplete or malformed/)
    }
    assert.deepEqual(logged, [])
  })

  test('it reports and logs a failure of the disk as its own', async () => {
    const folder = join(parent, readdirSync(parent)[0] ?? '')
    rmSync(folder, { recursive: true })
    writeFileSync(folder, '')
    const [status, text] = await post(`${part}${part}--x--\r\n`)
    assert.equal(status, 500)
    assert.match(String(text), /"code":"internal"/)
    assert.equal(logged.length, 1)
    assert.match(logged[0] ?? '', /ENOTDIR/)
    assert.equal(uploads.arriving(), 0)
  })
})
