import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../errors.ts'
import type { EgressResponse, UntrustedRequest } from '../egress/egress.ts'
import { downloadExternal } from './external-download.ts'

const { signal } = new AbortController()

function egressWith(reply: (url: URL, times: number) => Promise<number>) {
  const sent: { url: URL; request: UntrustedRequest }[] = []
  const request = async (url: URL, request: UntrustedRequest): Promise<EgressResponse> => {
    sent.push({ url, request })
    const status = await reply(url, sent.length)
    const bytes = new Uint8Array([1])
    const headers = new Headers({ 'content-type': 'image/png' })
    return { status, headers, url, complete: true, text: async () => '', bytes: async () => bytes }
  }
  return { sent, egress: { untrusted: { refusal: () => null, request } } }
}
const picture = (url: string) => ({ doing: 'reading an image', url: new URL(url), maxBytes: 100 })
const cut = () => Object.assign(new Error('x'), { code: 'ECONNRESET' })
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a file from another host', () => {
  test('comes with its type, within the limits', async () => {
    const { sent, egress } = egressWith(async () => 200)
    const downloaded = await downloadExternal(
      { egress, source: egress },
      picture('http://a.example/p.png?key=1'),
      signal,
    )
    assert.deepEqual(
      [downloaded.bytes.length, downloaded.complete, downloaded.contentType],
      [1, true, 'image/png'],
    )
    assert.equal(downloaded.url.href, 'http://a.example/p.png')
    assert.equal(sent[0]!.request.maxBytes, 100)
    assert.equal(sent[0]!.request.timeoutMs, 20_000)
  })

  test('is requested a second time after a failure, and no third time', async () => {
    const passing = [
      async (times: number) => (times === 1 ? 503 : 200),
      async (times: number) => {
        if (times === 1) throw new AppError('source_unreachable', 'connecting', { cause: cut() })
        return 200
      },
    ]
    for (const reply of passing) {
      const { sent, egress } = egressWith((_, times) => reply(times))
      await downloadExternal({ egress, source: egress }, picture('https://a.example/p.png'), signal)
      assert.equal(sent.length, 2)
    }
    const { sent, egress } = egressWith(async () => 503)
    await assert.rejects(
      downloadExternal({ egress, source: egress }, picture('https://a.example/p'), signal),
      {
        code: 'source_failed',
      },
    )
    assert.equal(sent.length, 2)
  })

  test('fails one document, at once if a retry does not help', async () => {
    const timeout = new DOMException('x', 'TimeoutError')
    const nowhere = Object.assign(new Error('x'), { code: 'ENOTFOUND' })
    const failures: [number | AppError, string][] = [
      [404, 'source_not_found'],
      [403, 'source_forbidden'],
      [429, 'source_failed'],
      [new AppError('egress_refused', 'connecting to inside'), 'source_forbidden'],
      [new AppError('source_answer_too_long', 'reading'), 'source_answer_too_long'],
      [new AppError('source_unreachable', 'connecting', { cause: timeout }), 'source_failed'],
      [new AppError('source_unreachable', 'connecting', { cause: nowhere }), 'source_not_found'],
    ]
    for (const [failure, code] of failures) {
      const { sent, egress } = egressWith(async () => {
        if (typeof failure === 'number') return failure
        throw failure
      })
      const error = await downloadExternal(
        { egress, source: egress },
        picture('https://a.example/p'),
        signal,
      ).catch((e) => e)
      assert.equal(error.code, code)
      assert.equal(error.endsJob, false)
      assert.match(error.message, /^reading an image: /)
      assert.equal(sent.length, 1, code)
    }
  })

  test('does not wait for the images of another source', async () => {
    const { sent, egress } = egressWith((url) =>
      url.host === 'c.example' ? Promise.resolve(200) : new Promise(() => {}),
    )
    const slow = new AbortController()
    const held = Array.from({ length: 9 }, (_, i) => picture(`https://b${i}.example/p`)).map((each) =>
      downloadExternal({ egress, source: egress }, each, slow.signal).catch(() => {}),
    )
    await settle()
    assert.equal(sent.length, 8)
    await downloadExternal({ egress, source: {} }, picture('https://c.example/p'), signal)
    slow.abort()
    await Promise.race([Promise.all(held), settle()])
  })

  test('is one of at most two per host and eight in total', async () => {
    const open: (() => void)[] = []
    const { sent, egress } = egressWith(() => new Promise((resolve) => open.push(() => resolve(200))))
    const one = Array.from({ length: 4 }, () => picture('https://a.example/p'))
    const many = Array.from({ length: 10 }, (_, i) => picture(`https://b${i}.example/p`))
    const hosts = () => sent.map(({ url }) => url.host)
    const all = [...one, ...many].map((each) => downloadExternal({ egress, source: egress }, each, signal))
    await settle()
    assert.equal(hosts().filter((host) => host === 'a.example').length, 2)
    assert.equal(sent.length, 8)
    while (open.length > 0) {
      open.shift()!()
      await settle()
      assert.ok(open.length <= 8)
    }
    await Promise.all(all)
    assert.equal(sent.length, 14)
  })

  test('does not wait once cancelled, and frees its slot', async () => {
    const open: (() => void)[] = []
    const { sent, egress } = egressWith(() => new Promise((resolve) => open.push(() => resolve(200))))
    const caller = new AbortController()
    const load = (then = signal) =>
      downloadExternal({ egress, source: egress }, picture('https://a.example/p'), then)
    const first = [load(), load()]
    const called = load(caller.signal)
    const last = load()
    caller.abort(new Error('called off'))
    await assert.rejects(called, /called off/)
    while (open.length > 0) {
      open.shift()!()
      await settle()
    }
    await Promise.all([...first, last])
    assert.equal(sent.length, 3)
  })
})
