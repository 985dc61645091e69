import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { dataCenterSite } from '../transport/site.ts'
import type { WikiRequest, WikiTransport } from '../transport/transport.ts'
import { readWindows } from './offsets.ts'

const { signal } = new AbortController()
const item = z.object({ id: z.string() })
const question = { doing: 'listing', path: '/rest/api/content', item }
const numbered = (count: number) => Array.from({ length: count }, (_, at) => ({ id: String(at) }))

type Window = { start: number; limit: number; number: number }
type WindowResponse = { results: { id: string }[]; limit?: number; next?: number }

/** A scripted server, and the ids that the reader returns. */
async function read(server: (window: Window) => WindowResponse) {
  let number = 0
  const send = async <T>({ query, response: answer }: WikiRequest<T>): Promise<T> => {
    const { results, limit, next } = server({
      start: Number(query?.start),
      limit: Number(query?.limit),
      number: ++number,
    })
    const link = next === undefined ? {} : { next: `/rest/api/content?start=${next}&limit=200` }
    return answer.parse({ results, limit, _links: link })
  }
  const transport: Pick<WikiTransport, 'send' | 'site'> = {
    send,
    site: dataCenterSite('https://wiki.corp'),
  }
  const ids: string[] = []
  for await (const { rows } of readWindows(transport, question, signal)) ids.push(...rows.map(({ id }) => id))
  return { ids, requests: number }
}

function slice(all: { id: string }[], { start, limit }: Window): { id: string }[] {
  return all.slice(start, start + limit)
}

describe('readWindows', () => {
  const all = numbered(450)
  const everything = all.map(({ id }) => id)

  test('reads a list with correct links, each row once', async () => {
    const { ids, requests } = await read((window) => {
      const results = slice(all, window)
      const end = window.start + results.length
      return { results, limit: 200, ...(end < all.length ? { next: end } : {}) }
    })
    assert.deepEqual(ids, everything)
    assert.equal(requests, 3)
  })

  test('works without links', async () => {
    assert.deepEqual((await read((window) => ({ results: slice(all, window) }))).ids, everything)
  })

  test('ends if a link promises more and nothing follows', async () => {
    const { ids } = await read((window) => {
      const results = slice(all, window)
      return { results, ...(results.length > 0 ? { next: window.start + results.length } : {}) }
    })
    assert.deepEqual(ids, everything)
  })

  test('gives up on a server that always promises more', async () => {
    const endless = read(({ start }) => ({ results: [], next: start + 200 }))
    await assert.rejects(endless, { code: 'source_misread' })
  })

  test('loses nothing if the server lowers the limit and miscounts', async () => {
    const { ids } = await read((window) => {
      const results = slice(all, { ...window, limit: 50 })
      const more = window.start + results.length < all.length
      return { results, limit: 50, ...(more ? { next: window.start + results.length - 1 } : {}) }
    })
    assert.deepEqual(ids, everything)
  })

  test('loses no row if earlier rows are deleted during the read', async () => {
    for (const gone of [1, 5, 199, 230]) {
      const { ids } = await read((window) => ({
        results: slice(window.number > 1 ? all.slice(gone) : all, window),
      }))
      const lost = everything.slice(gone).filter((id) => !ids.includes(id))
      assert.deepEqual(lost, [], `after ${gone} were deleted`)
      assert.equal(new Set(ids).size, ids.length)
    }
  })

  test('returns no row twice if rows are inserted before it', async () => {
    const { ids } = await read((window) => ({
      results: slice(window.number > 1 ? [{ id: 'new' }, ...all] : all, window),
    }))
    assert.deepEqual(ids, everything)
  })

  test('skips rows that the account may not see', async () => {
    const shown = (id: string) => Number(id) < 20 || Number(id) >= 430
    const { ids } = await read((window) => {
      const end = window.start + window.limit
      const results = slice(all, window).filter(({ id }) => shown(id))
      return { results, limit: 200, ...(end < all.length ? { next: end } : {}) }
    })
    assert.deepEqual(ids, everything.filter(shown))
  })

  test('gives up on a list that changes faster than it can be read', async () => {
    const restless = read(({ number }) => ({
      results: Array.from({ length: 200 }, (_, at) => ({ id: `${number}.${at}` })),
    }))
    await assert.rejects(restless, { code: 'source_misread' })
  })
})
