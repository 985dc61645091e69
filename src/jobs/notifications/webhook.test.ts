import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { parseAllowedHosts } from '../../connectors/egress/allowed-hosts.ts'
import { createEgress, type EgressOptions } from '../../connectors/egress/guard.ts'
import { requestedPauseMs, retryDelayMs } from './retry-delay.ts'
import { sendWebhook } from './send-webhook.ts'
import { newWebhookSecret, parseWebhookSecret, webhookHeaders } from './signature.ts'

describe('signatures', () => {
  const message = { id: 'msg-1', body: '{"type":"job.completed"}', sentAt: new Date() }

  test('it signs so that the official library accepts it', () => {
    const secret = newWebhookSecret()
    assert.deepEqual(new Webhook(secret).verify(message.body, webhookHeaders(message, [secret])), {
      type: 'job.completed',
    })
    assert.throws(() => new Webhook(secret).verify(`${message.body} `, webhookHeaders(message, [secret])))
    assert.throws(() =>
      new Webhook(newWebhookSecret()).verify(message.body, webhookHeaders(message, [secret])),
    )
  })

  test('it signs with the old and the new secret during a rotation', () => {
    const [fresh, old] = [newWebhookSecret(), newWebhookSecret()]
    const headers = webhookHeaders(message, [fresh, old])
    for (const secret of [fresh, old]) assert.ok(new Webhook(secret).verify(message.body, headers))
  })

  test('it accepts secrets of 24 to 75 bytes in base64', () => {
    const base64 = (bytes: number) => Buffer.alloc(bytes, 5).toString('base64')
    for (const bytes of [24, 32, 64, 75]) {
      assert.equal(parseWebhookSecret(`whsec_${base64(bytes)}`), `whsec_${base64(bytes)}`)
      assert.equal(parseWebhookSecret(base64(bytes)), `whsec_${base64(bytes)}`)
    }
    for (const wrong of ['', 'whsec_', base64(23), base64(76), 'a phrase that is not in base64 at all', '='])
      assert.equal(parseWebhookSecret(wrong), null, wrong)
  })
})

describe('retries', () => {
  test('it waits longer after each attempt, with jitter', () => {
    const minutes = (random: number) =>
      Array.from({ length: 9 }, (_, at) => retryDelayMs(at + 1, { random: () => random }) / 60_000)
    assert.deepEqual(minutes(0), [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440])
    assert.deepEqual(minutes(1), [6 / 60, 6, 36, 144, 360, 720, 1008, 1440, 1728])
  })

  test('it obeys Retry-After for at most a day', () => {
    const now = Date.parse('2026-03-01T12:00:00Z')
    for (const [header, ms] of [
      ['120', 120_000],
      ['Sun, 01 Mar 2026 12:01:00 GMT', 60_000],
      ['99999999999999999999', 86_400_000],
      ['Fri, 01 Jan 2100 00:00:00 GMT', 86_400_000],
      ['0', null],
      ['-5', null],
      ['Sun, 01 Mar 2026 11:00:00 GMT', null],
      ['soon', null],
      ['', null],
      [null, null],
    ] as const)
      assert.equal(requestedPauseMs(header, now), ms, String(header))
    assert.equal(retryDelayMs(1, { pauseMs: 3_600_000 }), 3_600_000)
    assert.ok(retryDelayMs(4, { pauseMs: 1000 }) >= 7_200_000)
  })
})

describe('one attempt', () => {
  const open: Server[] = []
  after(() => {
    for (const server of open) server.close().closeAllConnections()
  })

  async function receiver(listener: RequestListener): Promise<URL> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    open.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)
  }
  async function send(url: URL, options: EgressOptions) {
    const egress = createEgress(options)
    try {
      const request = { id: 'msg-1', url: url.href, body: '{}', secrets: [newWebhookSecret()] }
      return await sendWebhook(egress, request, AbortSignal.timeout(120_000))
    } finally {
      await egress.close()
    }
  }
  const allowed = (url: URL) => ({ allowedHosts: parseAllowedHosts(url.host) })

  test('it counts only 2xx as delivered', async () => {
    for (const [status, isDelivered, isGone] of [
      [200, true, false],
      [204, true, false],
      [301, false, false],
      [400, false, false],
      [410, false, true],
      [500, false, false],
    ] as const) {
      const url = await receiver((_request, response) => response.writeHead(status).end())
      assert.deepEqual(await send(url, allowed(url)), { status, isDelivered, isGone, pauseMs: null })
    }
  })

  test('it does not follow a redirect', async () => {
    const target = await receiver((_request, response) => response.end())
    let called = 0
    const url = await receiver((_request, response) => {
      called++
      response.writeHead(307, { location: target.href }).end()
    })
    const hosts = parseAllowedHosts(`${url.host},${target.host}`)
    assert.equal((await send(url, { allowedHosts: hosts })).status, 307)
    assert.equal(called, 1)
  })

  test('it ends with the first bytes of an endless response', async () => {
    for (const headers of [{}, { 'content-length': '999999999999' }]) {
      const url = await receiver((_request, response) => {
        response.writeHead(200, headers)
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        }
        response.on('drain', more)
        more()
      })
      assert.equal((await send(url, allowed(url))).isDelivered, true)
    }
  })

  test('it takes the status, whatever the body is', async () => {
    const silent = await receiver((_request, response) => response.writeHead(200).flushHeaders())
    assert.equal((await send(silent, allowed(silent))).isDelivered, true)
    for (const encoding of ['gzip', 'unheard-of']) {
      const corrupt = await receiver((_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end('not packed'),
      )
      assert.equal((await send(corrupt, allowed(corrupt))).isDelivered, true, encoding)
    }
    const brokenOff = await receiver((_request, response) => {
      response.writeHead(410, { 'content-length': '99' })
      response.write('x', () => response.destroy())
    })
    assert.equal((await send(brokenOff, allowed(brokenOff))).isGone, true)
  })

  test('it refuses addresses inside the network, also behind a name', async () => {
    const url = await receiver(() => assert.fail('it was called'))
    for (const inside of [
      url.href,
      'https://127.0.0.1/',
      'https://localhost/',
      'https://[::1]/',
      'https://10.0.0.8/',
      'https://169.254.169.254/latest/meta-data/',
      'http://hooks.acme.example/',
      'https://user:password@hooks.acme.example/',
    ])
      await assert.rejects(send(new URL(inside), {}), { code: 'egress_refused' }, inside)
    for (const address of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'fd00:ec2::254'])
      await assert.rejects(
        send(new URL('https://rebinding.example/'), { resolve: async () => [address] }),
        { code: 'egress_refused' },
        address,
      )
  })
})
