import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../errors.ts'
import { cloudSite } from '../transport/site.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { cloudFiles } from './files.ts'

const { signal } = new AbortController()
const file = { id: 'att1', pageId: '7', version: '3' }

/** A wiki that refuses the download with this status and holds this version. */
function filesWith(status: number, version: number) {
  const queries: unknown[] = []
  const transport: WikiTransport = {
    site: cloudSite('https://acme.atlassian.net'),
    send: async ({ response }) => response.parse({ id: 'att1', pageId: '7', version: { number: version } }),
    sendPaged: () => assert.fail('nothing is listed'),
    download: async ({ query }) => {
      queries.push(query)
      const code = status === 404 ? 'source_not_found' : 'source_failed'
      throw new AppError(code, `answered ${status}`, { cause: { status } })
    },
  }
  return { queries, download: () => cloudFiles(transport).download(file, { maxBytes: 10 }, signal) }
}

describe('the download of a file', () => {
  test('finds files of archived pages too', async () => {
    const { queries, download } = filesWith(404, 3)
    await assert.rejects(download())
    assert.deepEqual(queries, [{ version: '3', status: ['current', 'archived'] }])
  })
  test('is to be listed again if its version is gone, or above the latest', async () => {
    for (const status of [400, 404]) assert.equal(await filesWith(status, 2).download(), null)
  })
  test('fails if the wiki still has that version', async () => {
    await assert.rejects(filesWith(400, 3).download(), { code: 'source_failed' })
    await assert.rejects(filesWith(404, 3).download(), { code: 'source_not_found' })
  })
})
