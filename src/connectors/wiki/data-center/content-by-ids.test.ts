import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../errors.ts'
import type { WikiRequest, WikiTransport } from '../transport/transport.ts'
import { contentByIds } from './content-by-ids.ts'

const { signal } = new AbortController()
const lookup = { doing: 'looking up pages', ids: ['1', '2', '3'], expand: 'version', limit: 200 }
type Answer = (request: WikiRequest<unknown>) => string[] | AppError

/** A server whose list of content answers with these ids; its search finds 1 and 2. */
function serverWith(list: Answer) {
  const requested: string[] = []
  const send: WikiTransport['send'] = async (request) => {
    requested.push(request.path)
    const ids = request.path.endsWith('/search') ? ['1', '2'] : list(request as WikiRequest<unknown>)
    if (ids instanceof AppError) throw ids
    return request.response.parse({ results: ids.map((id) => ({ id })) })
  }
  return { requested, ...contentByIds({ send }) }
}
const LIST = '/rest/api/content'
const SEARCH = '/rest/api/content/search'

describe('content by ids', () => {
  test('comes from the list, with one parameter for each id and status', async () => {
    const { requested, found, listed } = serverWith(({ query }) => {
      assert.deepEqual(query?.ids, lookup.ids)
      assert.deepEqual(query?.status, ['current', 'archived', 'trashed'])
      return ['3', '1']
    })
    for (const read of [found, listed])
      assert.deepEqual(
        (await read(lookup, signal)).map(({ id }) => id),
        ['3', '1'],
      )
    assert.deepEqual(requested, [LIST, LIST])
  })

  test('comes from the search if the list ignores the ids, which is noticed once', async () => {
    const { requested, found, listed } = serverWith(() => ['1', '77'])
    assert.equal((await found(lookup, signal)).length, 2)
    assert.equal((await found(lookup, signal)).length, 2)
    assert.deepEqual(await listed(lookup, signal), [])
    assert.deepEqual(requested, [LIST, SEARCH, SEARCH])
  })

  test('comes from the search if the list refuses some ids, and fails if the server does', async () => {
    const refusing = serverWith(() => new AppError('source_not_found', 'none', { cause: { status: 404 } }))
    assert.equal((await refusing.found(lookup, signal)).length, 2)
    const failing = serverWith(() => new AppError('source_failed', 'failed', { cause: { status: 500 } }))
    await assert.rejects(failing.found(lookup, signal), { code: 'source_failed' })
  })
})
