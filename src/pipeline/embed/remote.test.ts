import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  type CannedResponse,
  type ModelEndpoint,
  type ModelRequest,
  startModelEndpoint,
  vectorFor,
} from '../../../test/world/model-endpoint.ts'
import { AppError } from '../../errors.ts'
import type { Endpoints } from '../models/endpoints.ts'
import { openModels } from '../models/models.ts'
import { memoryCache } from './cache.ts'
import { type RemoteEmbedder, remoteEmbedder } from './remote.ts'
import { type RemoteEmbed, remoteVectors } from './remote-vectors.ts'

const never = new AbortController().signal
const KEY = 'sk-canary-of-a-provider'
/** Like egress: a redirect is returned, not followed. */
const plainFetch: typeof fetch = (url, init) => fetch(url, { ...init, redirect: 'manual' })
const inputs = ({ body }: ModelRequest) => (body.input ?? body.texts ?? [body.inputText]) as string[]

/** The fake's vector, normalised, in 32 bits. */
function expected(text: string, dims: number): number[] {
  const vector = vectorFor(text, dims)
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function assertClose(actual: number[] | undefined, wanted: number[]): void {
  assert.equal(actual?.length, wanted.length)
  for (const [i, value] of wanted.entries()) assert.ok(Math.abs(actual[i]! - value) < 1e-6)
}

function endpointsAt(url: string): Endpoints {
  const endpoint = { baseUrl: `${url}/v1`, apiKey: KEY, model: '' }
  return {
    openai: endpoint,
    togetherai: endpoint,
    voyageai: endpoint,
    cohere: { ...endpoint, baseUrl: url },
    azure_openai: { ...endpoint, baseUrl: url, apiVersion: '2024-10-21' },
    bedrock: {
      baseUrl: url,
      region: 'eu-central-1',
      accessKeyId: 'AKIACANARY',
      secretAccessKey: 'canary',
      sessionToken: null,
      model: '',
    },
  }
}

describe('an embedder behind an endpoint', () => {
  let server: ModelEndpoint
  let small: ModelEndpoint
  before(async () => {
    server = await startModelEndpoint()
    small = await startModelEndpoint({ dims: 4, most: 5, longest: 1000, plainNumbers: true })
  })
  beforeEach(() => {
    for (const each of [server, small]) {
      each.asked.length = 0
      each.trouble = () => null
    }
  })
  after(async () => {
    await server.close()
    await small.close()
  })

  const embedder = (
    embed: RemoteEmbed,
    at = server,
    cache = memoryCache({ maxBytes: 1e6 }),
  ): RemoteEmbedder =>
    remoteEmbedder(
      remoteVectors(embed, openModels({ endpoints: endpointsAt(at.url), fetch: plainFetch })),
      cache,
    )
  const ownModel = { subtype: 'openai', model: 'own', dimensions: 8 } as const

  for (const [embed, path, sent] of [
    [ownModel, /^\/v1\/embeddings$/, { model: 'own', encoding_format: 'base64' }],
    [
      { subtype: 'openai', model: 'text-embedding-3-large', dimensions: 256 },
      /embeddings/,
      { dimensions: 256 },
    ],
    [{ subtype: 'togetherai', model: 'own', dimensions: 8 }, /embeddings/, { model: 'own' }],
    [
      { subtype: 'azure_openai', model: 'text-embedding-3-small', dimensions: 8, deployment: 'mine' },
      /^\/openai\/deployments\/mine\/embeddings\?api-version=2024-10-21$/,
      { dimensions: 8 },
    ],
    [
      { subtype: 'bedrock', model: 'amazon.titan-embed-text-v2:0', dimensions: 256 },
      /^\/model\/amazon\.titan-embed-text-v2%3A0\/invoke$/,
      { dimensions: 256, normalize: true },
    ],
    [
      { subtype: 'voyageai', model: 'voyage-3.5', dimensions: 256 },
      /^\/v1\/embeddings$/,
      { output_dimension: 256, input_type: 'document' },
    ],
    [
      { subtype: 'cohere', model: 'embed-v4.0', dimensions: 256 },
      /^\/v2\/embed$/,
      { output_dimension: 256, input_type: 'search_document' },
    ],
  ] as [RemoteEmbed, RegExp, object][]) {
    test(`it calls the API of ${embed.subtype} for ${embed.model}`, async () => {
      const remote = embedder(embed)
      const [first, second] = await remote.embed(['one', 'two'], never)
      assertClose(first, expected('one', remote.dims))
      assertClose(second, expected('two', remote.dims))
      const [asked] = server.asked
      assert.match(asked?.path ?? '', path)
      for (const [name, value] of Object.entries(sent)) assert.deepEqual(asked?.body[name], value, name)
      const headers = JSON.stringify(asked?.headers)
      assert.ok(embed.subtype === 'bedrock' ? /AWS4-HMAC-SHA256/.test(headers) : headers.includes(KEY))
    })
  }

  test('it marks queries if the provider has a query mode', async () => {
    await embedder({ subtype: 'voyageai', model: 'voyage-3.5', dimensions: 256 }).query('q', never)
    await embedder({ subtype: 'cohere', model: 'embed-v4.0', dimensions: 256 }).query('q', never)
    assert.deepEqual(
      server.asked.map(({ body }) => body.input_type),
      ['query', 'search_query'],
    )
  })

  test('it learns a server’s batch limit, keeps the order and reads plain numbers', async () => {
    const remote = embedder({ ...ownModel, dimensions: 4 }, small)
    const texts = Array.from({ length: 60 }, (_, i) => `text ${i}`)
    const vectors = await remote.embed(texts, never)
    for (const [i, text] of texts.entries()) assertClose(vectors[i], expected(text, 4))
    const before = small.asked.length
    await remote.embed(
      Array.from({ length: 20 }, (_, i) => `more ${i}`),
      never,
    )
    assert.ok(small.asked.slice(before).every((asked) => inputs(asked).length <= 5))
  })

  test('it cuts a text that is too long for the model', async () => {
    const long = 'grain '.repeat(500)
    const [vector] = await embedder({ ...ownModel, dimensions: 4 }, small).embed([long], never)
    assertClose(vector, expected(long.slice(0, 750), 4))
  })

  test('it does not shrink batches for one long text', async () => {
    const remote = embedder({ ...ownModel, dimensions: 4 }, small)
    await remote.embed(['a', 'b', 'c', 'grain '.repeat(500)], never)
    small.asked.length = 0
    await remote.embed(['d', 'e', 'f', 'g', 'h'], never)
    assert.deepEqual(small.asked.map(inputs), [['d', 'e', 'f', 'g', 'h']])
  })

  test('it retries after Retry-After', async () => {
    server.trouble = (_asked, count) =>
      count <= 2 ? { status: count === 1 ? 429 : 503, headers: { 'retry-after-ms': '20' } } : null
    await embedder(ownModel).embed(['retry'], never)
    assert.equal(server.asked.length, 3)
  })

  test('it embeds equal texts once and cached ones never, across processes', async () => {
    const cache = memoryCache({ maxBytes: 1e6 })
    await embedder(ownModel, server, cache).embed(['a', 'b', 'a'], never)
    assert.deepEqual(server.asked.map(inputs), [['a', 'b']])
    const secondEmbedder = embedder(ownModel, server, cache)
    await secondEmbedder.embed(['b', 'a'], never)
    assert.equal(server.asked.length, 1)
    assert.deepEqual(secondEmbedder.stats(), { embedded: 0, reused: 2, started: 0, crashed: 0 })
    const others: RemoteEmbed[] = [
      { ...ownModel, model: 'other' },
      { ...ownModel, subtype: 'togetherai' },
      { subtype: 'openai', model: 'text-embedding-3-small', dimensions: 16 },
      { subtype: 'openai', model: 'text-embedding-3-small', dimensions: 32 },
    ]
    for (const other of others) await embedder(other, server, cache).embed(['a'], never)
    assert.equal(server.asked.length, 1 + others.length, 'each model has its own vector')
  })

  test('it caches queries and documents separately', async () => {
    const remote = embedder({ subtype: 'cohere', model: 'embed-v4.0', dimensions: 256 })
    await remote.embed(['same'], never)
    await remote.query('same', never)
    assert.equal(server.asked.length, 2)
  })

  for (const [what, trouble, code, message] of [
    ['a rejected key', { status: 401, body: { error: 'sk-canary' } }, 'model_unauthorized', /key \(401\)/],
    ['an unknown model', { status: 404 }, 'model_failed', /no such model/],
    ['an invalid JSON body', { status: 200, body: '<html>' }, 'model_failed', /unexpected format/],
    ['another body', { status: 200, body: { hello: 1 } }, 'model_failed', /unexpected format/],
    [
      'too few vectors',
      { status: 200, body: { data: [] } },
      'embedder_failed',
      /sent 1 texts, received 0 vectors/,
    ],
    [
      'another dimension',
      { status: 200, body: { data: [{ index: 0, embedding: [1, 2] }] } },
      'embedder_failed',
      /have dimension 2 instead of 8/,
    ],
    [
      'no numbers',
      { status: 200, body: { data: [{ index: 0, embedding: Array(8).fill('x') }] } },
      'embedder_failed',
      /zero or not finite/,
    ],
    [
      'a Retry-After of an hour',
      { status: 429, headers: { 'retry-after': '3600' } },
      'model_failed',
      /rate limit/,
    ],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
      'model_failed',
      /rejected the request/,
    ],
  ] as [string, CannedResponse, string, RegExp][]) {
    test(`it reports an answer with ${what}`, async () => {
      server.trouble = () => trouble
      await assert.rejects(embedder(ownModel).embed(['x'], never), (error) => {
        assert.ok(error instanceof AppError, String(error))
        assert.equal(error.code, code)
        assert.match(error.message, message)
        assert.doesNotMatch(`${error.message} ${error.fix} ${error.cause}`, /canary/)
        return true
      })
    })
  }

  test('it stops when aborted', async () => {
    server.trouble = () => ({ status: 200, never: true })
    const caller = new AbortController()
    const running = embedder(ownModel).embed(['x'], caller.signal)
    caller.abort(new Error('cancelled'))
    await assert.rejects(running, { message: 'cancelled' })
  })

  test('it stops after a failed batch and keeps finished ones', async () => {
    const cache = memoryCache({ maxBytes: 1e6 })
    const texts = Array.from({ length: 320 }, (_, i) => `text ${i}`)
    server.trouble = (asked) => (inputs(asked).includes('text 40') ? { status: 401 } : null)
    await assert.rejects(embedder(ownModel, server, cache).embed(texts, never), {
      code: 'model_unauthorized',
    })
    assert.ok(server.asked.length < 10)
  })
})
