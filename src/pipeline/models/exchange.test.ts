import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../errors.ts'
import { createExchangePlaces, type ExchangeOptions, type Fetch, openExchange } from './exchange.ts'
import { openModels } from './models.ts'

const never = new AbortController().signal
const QUICK = { 'retry-after-ms': '1' }

/** An endpoint with a changeable answer and a request count. */
function fake(options: Partial<ExchangeOptions> = {}) {
  const endpoint = { requests: 0, respond: (async () => new Response('fine')) as Fetch }
  const fetch: Fetch = (url, init) => {
    endpoint.requests++
    return endpoint.respond(url, init)
  }
  const exchange = openExchange({ fetch, ...options })
  const ask = (signal = never) =>
    exchange.ask(
      'asking it',
      async (fetchResponse) => (await fetchResponse('http://127.0.0.1/')).text(),
      signal,
    )
  return { endpoint, ask }
}

const silent: Fetch = (_url, init) =>
  new Promise((_, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
  })
const failing: Fetch = async () => new Response('', { status: 500, headers: QUICK })

describe('an exchange with a provider', () => {
  test('it tries a request only twice if it times out', async () => {
    const { endpoint, ask } = fake({ timeoutMs: 10 })
    endpoint.respond = silent
    await assert.rejects(ask(), { code: 'model_failed', message: /no response within/ })
    assert.equal(endpoint.requests, 2)
  })

  for (const [what, respond, attempts, timeoutMs] of [
    ['fails', failing, 5, 60_000],
    ['does not respond', silent, 2, 10],
  ] as [string, Fetch, number, number][]) {
    test(`it pauses requests to an endpoint that ${what} three times in a row`, async () => {
      const { endpoint, ask } = fake({ timeoutMs, breaker: { downMs: 600_000 } })
      endpoint.respond = respond
      for (let i = 0; i < 3; i++) await assert.rejects(ask(), AppError)
      assert.equal(endpoint.requests, 3 * attempts)
      endpoint.respond = async () => new Response('fine')
      await assert.rejects(ask(), { code: 'model_failed', message: /endpoint is down/ })
      assert.equal(endpoint.requests, 3 * attempts)
    })
  }

  test('it continues after a response between failures', async () => {
    const { endpoint, ask } = fake()
    for (const respond of [failing, failing, async () => new Response('fine'), failing, failing] as Fetch[]) {
      endpoint.respond = respond
      await ask().catch(() => null)
    }
    endpoint.respond = async () => new Response('fine')
    assert.equal(await ask(), 'fine')
  })

  test('it sends one trial request after the pause', async () => {
    const { endpoint, ask } = fake({ breaker: { failures: 1, downMs: 0 } })
    endpoint.respond = failing
    await assert.rejects(ask(), /failed \(500\)/)
    const requestsBefore = endpoint.requests
    const response = Promise.withResolvers<Response>()
    endpoint.respond = () => response.promise
    const first = ask()
    await assert.rejects(ask(), /endpoint is down/)
    response.resolve(new Response('fine'))
    assert.equal(await first, 'fine')
    assert.equal(endpoint.requests, requestsBefore + 1)
    endpoint.respond = async () => new Response('fine')
    assert.equal(await ask(), 'fine')
  })

  test('it passes an aborted trial to the next request', async () => {
    const { endpoint, ask } = fake({ breaker: { failures: 1, downMs: 0 } })
    endpoint.respond = failing
    await assert.rejects(ask(), /failed \(500\)/)
    endpoint.respond = silent
    const caller = new AbortController()
    const first = ask(caller.signal)
    setImmediate(() => caller.abort(new Error('cancelled')))
    await assert.rejects(first, { message: 'cancelled' })
    endpoint.respond = async () => new Response('fine')
    assert.equal(await ask(), 'fine')
  })

  test('it frees the slot of a request aborted while waiting', async () => {
    const { endpoint, ask } = fake({ places: createExchangePlaces({ total: 1, each: 1 }) })
    const answer = Promise.withResolvers<Response>()
    endpoint.respond = () => answer.promise
    const first = ask()
    const caller = new AbortController()
    const second = ask(caller.signal)
    const third = ask()
    setImmediate(() => caller.abort(new Error('cancelled')))
    await assert.rejects(second, { message: 'cancelled' })
    answer.resolve(new Response('fine'))
    assert.equal(await first, 'fine')
    endpoint.respond = async () => new Response('fine')
    await third.catch(() => null)
    assert.equal(endpoint.requests, 2)
  })
})

test('it hides the operator’s host in connection errors', async () => {
  const fetchResponse: Fetch = async () => {
    throw new AppError('egress_refused', 'connecting to gpu.corp.example:8000: it is not allowed')
  }
  const endpoint = { baseUrl: 'http://gpu.corp.example:8000/v1', apiKey: null, model: 'm' }
  const models = openModels({ endpoints: { openai: endpoint }, fetch: fetchResponse })
  await assert.rejects(
    models.find({ provider: 'openai', model: 'm' }).ask({ prompt: 'x' }, never),
    (error) => {
      assert.ok(error instanceof AppError)
      assert.match(error.message, /^asking m of openai: connecting to the endpoint: it is not allowed/)
      assert.doesNotMatch(`${error.message} ${error.fix}`, /corp/)
      return true
    },
  )
})
