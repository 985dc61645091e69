import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../errors.ts'
import { type ExchangeOptions, type Fetch, openExchange } from './exchange.ts'
import { openModels } from './models.ts'

const never = new AbortController().signal
const QUICK = { 'retry-after-ms': '1' }

/** An endpoint with a changeable answer and a request count. */
function fake(options: Partial<ExchangeOptions> = {}) {
  const endpoint = { asked: 0, answers: (async () => new Response('fine')) as Fetch }
  const fetch: Fetch = (url, init) => {
    endpoint.asked++
    return endpoint.answers(url, init)
  }
  const exchange = openExchange({ fetch, ...options })
  const ask = (signal = never) =>
    exchange.ask('asking it', async (way) => (await way('http://127.0.0.1/')).text(), signal)
  return { endpoint, ask }
}

const silent: Fetch = (_url, init) =>
  new Promise((_, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
  })
const failing: Fetch = async () => new Response('', { status: 500, headers: QUICK })

describe('an exchange with a provider', () => {
  test('it tries a request that times out twice', async () => {
    const { endpoint, ask } = fake({ timeoutMs: 10 })
    endpoint.answers = silent
    await assert.rejects(ask(), { code: 'model_failed', message: /no response within/ })
    assert.equal(endpoint.asked, 2)
  })

  for (const [what, answers, each] of [
    ['fails', failing, 5],
    ['does not answer', silent, 2],
  ] as [string, Fetch, number][]) {
    test(`it pauses requests to an endpoint that ${what} three times in a row`, async () => {
      const { endpoint, ask } = fake({ timeoutMs: 10, breaker: { downMs: 60_000 } })
      endpoint.answers = answers
      for (let i = 0; i < 3; i++) await assert.rejects(ask(), AppError)
      assert.equal(endpoint.asked, 3 * each)
      endpoint.answers = async () => new Response('fine')
      await assert.rejects(ask(), { code: 'model_failed', message: /endpoint is down/ })
      assert.equal(endpoint.asked, 3 * each)
    })
  }

  test('it continues if an answer came in between', async () => {
    const { endpoint, ask } = fake()
    for (const answers of [failing, failing, async () => new Response('fine'), failing, failing] as Fetch[]) {
      endpoint.answers = answers
      await ask().catch(() => null)
    }
    endpoint.answers = async () => new Response('fine')
    assert.equal(await ask(), 'fine')
  })

  test('it sends one trial request after the pause', async () => {
    const { endpoint, ask } = fake({ breaker: { failures: 1, downMs: 0 } })
    endpoint.answers = failing
    await assert.rejects(ask(), /failed \(500\)/)
    const asked = endpoint.asked
    const back = Promise.withResolvers<Response>()
    endpoint.answers = () => back.promise
    const first = ask()
    await assert.rejects(ask(), /endpoint is down/)
    back.resolve(new Response('fine'))
    assert.equal(await first, 'fine')
    assert.equal(endpoint.asked, asked + 1)
    endpoint.answers = async () => new Response('fine')
    assert.equal(await ask(), 'fine')
  })

  test('it passes an aborted trial to the next request', async () => {
    const { endpoint, ask } = fake({ breaker: { failures: 1, downMs: 0 } })
    endpoint.answers = failing
    await assert.rejects(ask(), /failed \(500\)/)
    endpoint.answers = silent
    const caller = new AbortController()
    const first = ask(caller.signal)
    setImmediate(() => caller.abort(new Error('cancelled')))
    await assert.rejects(first, { message: 'cancelled' })
    endpoint.answers = async () => new Response('fine')
    assert.equal(await ask(), 'fine')
  })

  test('it frees the slot of a request aborted while waiting', async () => {
    const { endpoint, ask } = fake({ concurrency: 1 })
    const answer = Promise.withResolvers<Response>()
    endpoint.answers = () => answer.promise
    const first = ask()
    const caller = new AbortController()
    const second = ask(caller.signal)
    const third = ask()
    setImmediate(() => caller.abort(new Error('cancelled')))
    await assert.rejects(second, { message: 'cancelled' })
    answer.resolve(new Response('fine'))
    assert.equal(await first, 'fine')
    endpoint.answers = async () => new Response('fine')
    await third.catch(() => null)
    assert.equal(endpoint.asked, 2)
  })
})

test('it hides the operator’s host in connection errors', async () => {
  const way: Fetch = async () => {
    throw new AppError('egress_refused', 'connecting to gpu.corp.example:8000: it is not to be asked')
  }
  const endpoint = { baseUrl: 'http://gpu.corp.example:8000/v1', apiKey: null, model: 'm' }
  const models = openModels({ endpoints: { openai: endpoint }, fetch: way })
  await assert.rejects(
    models.find({ provider: 'openai', model: 'm' }).ask({ prompt: 'x' }, never),
    (error) => {
      assert.ok(error instanceof AppError)
      assert.match(error.message, /^asking m of openai: connecting to the endpoint: it is not to be/)
      assert.doesNotMatch(`${error.message} ${error.fix}`, /corp/)
      return true
    },
  )
})
