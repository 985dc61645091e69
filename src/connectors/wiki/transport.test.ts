import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Agent } from 'undici'
import { z } from 'zod'
import type { AppError } from '../../errors.ts'
import type { Egress } from '../egress.ts'
import { cloudSite } from './site.ts'
import { createTransport } from './transport.ts'

const { signal } = new AbortController()
const answer = z.object({ n: z.number(), _links: z.object({ next: z.string() }).optional() })
type Reply = { status?: number; headers?: Record<string, string>; text: string }

/** A way out that leads to this function, and remembers where it was asked to go. */
function wayTo(reply: (url: URL) => Reply) {
  const asked: URL[] = []
  const egress: Egress = {
    refusal: () => null,
    isAllowed: () => true,
    dispatcher: new Agent(),
    close: async () => {},
    request: async (url) => {
      asked.push(url)
      const { status = 200, headers = { 'content-type': 'application/json' }, text } = reply(url)
      const bytes = new TextEncoder().encode(text)
      return { status, headers: new Headers(headers), url, text: async () => text, bytes: async () => bytes }
    },
  }
  const site = cloudSite('https://acme.atlassian.net')
  return { asked, transport: createTransport({ site, authorization: 'Basic x', egress }, { firstWaitMs: 1 }) }
}
const question = { doing: 'listing', path: '/api/v2/spaces', answer }

async function all(transport: ReturnType<typeof wayTo>['transport']): Promise<number> {
  let pages = 0
  for await (const _ of transport.askAll(question, signal)) pages++
  return pages
}

describe('askAll', () => {
  test('ends with an error where next links go round in circles', async () => {
    const { asked, transport } = wayTo((url) => {
      const next = url.searchParams.get('cursor') === 'a' ? 'b' : 'a'
      return { text: JSON.stringify({ n: 1, _links: { next: `/wiki/api/v2/spaces?cursor=${next}` } }) }
    })
    await assert.rejects(all(transport), (error: AppError) => error.code === 'source_misread')
    assert.equal(asked.length, 3)
  })
  test('never leaves the wiki, whatever a next link says', async () => {
    const links = [
      'https://evil.example/wiki/api/v2/spaces?cursor=1',
      '//evil.example/x?cursor=2',
      '@evil.example/?cursor=3',
    ]
    const { asked, transport } = wayTo(() => {
      const next = links.shift()
      return { text: JSON.stringify({ n: 1, ...(next ? { _links: { next } } : {}) }) }
    })
    assert.equal(await all(transport), 4)
    assert.deepEqual(new Set(asked.map((url) => url.origin)), new Set(['https://acme.atlassian.net']))
  })
})

describe('ask', () => {
  const failing = (reply: Reply) => {
    const { asked, transport } = wayTo(() => reply)
    return { asked, done: transport.ask(question, signal) }
  }
  test('gives each refusal its code, without trying again and without the remote text', async () => {
    const codes = { 401: 'source_unauthorized', 403: 'source_forbidden', 404: 'source_not_found' }
    for (const [status, code] of Object.entries(codes)) {
      const { asked, done } = failing({ status: Number(status), text: 'a secret of the server' })
      await assert.rejects(
        done,
        (error: AppError) => error.code === code && !error.message.includes('secret'),
      )
      assert.equal(asked.length, 1)
    }
  })
  test('tries six times where the wiki is not available', async () => {
    const { asked, done } = failing({ status: 503, text: '' })
    await assert.rejects(done, (error: AppError) => error.code === 'source_unreachable')
    assert.equal(asked.length, 6)
  })
  test('does not wait for an hour where the wiki asks for that', async () => {
    const { asked, done } = failing({ status: 429, headers: { 'retry-after': '3600' }, text: '' })
    await assert.rejects(done, (error: AppError) => error.code === 'source_unreachable')
    assert.equal(asked.length, 1)
  })
  test('takes a web page for a sign-in, and half an answer for a misreading after trying again', async () => {
    const page = failing({ headers: { 'content-type': 'text/html' }, text: '<html>' })
    await assert.rejects(page.done, (error: AppError) => error.code === 'source_unauthorized')
    const half = failing({ text: '{"n":' })
    await assert.rejects(half.done, (error: AppError) => error.code === 'source_misread')
    assert.ok(half.asked.length > 1)
  })
})
