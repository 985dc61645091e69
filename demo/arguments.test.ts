import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { EnvironmentError } from '../src/environment.ts'
import { readArguments } from './arguments.ts'

describe('arguments of the demo', () => {
  const read = (env: Record<string, string>, argv: string[] = []) =>
    readArguments(env, argv, new AbortController().signal)
  const engine = createServer((request, response) => {
    const about = { version: { number: '8.19.2' } }
    const isAda = request.headers.authorization === `Basic ${btoa('ada:right')}`
    if (request.headers.authorization === `Basic ${btoa('web:right')}`) response.end('<html>')
    else response.writeHead(isAda ? 200 : 401).end(JSON.stringify(about))
  })
  const at = (user: string) => `http://${user}@127.0.0.1:${(engine.address() as AddressInfo).port}`
  before(async () => {
    await once(engine.listen(0, '127.0.0.1'), 'listening')
  })
  after(() => engine.close())

  test('it has a default for everything', async () => {
    assert.deepEqual(await read({}), { once: false, sandbox: false, port: 8080, engine: null })
    assert.equal((await read({}, ['--once'])).once, true)
    assert.equal((await read({}, ['--sandbox'])).sandbox, true)
  })

  test('it accepts a search engine that answers', async () => {
    const options = await read({ MILLRACE_DEMO_SEARCH_URL: at('ada:right') })
    assert.deepEqual(options.engine?.adminAuth, { username: 'ada', password: 'right' })
    assert.doesNotMatch(options.engine?.url ?? '', /ada/)
  })

  for (const [what, address, says] of [
    ['an invalid address', () => 'nonsense', /is not an address/],
    ['another protocol', () => 'ftp://ada:right@127.0.0.1', /is not an address/],
    ['half an escape', () => at('ada:%zz'), /%25/],
    ['no user', () => at(''), /needs a user/],
    ['a wrong password', () => at('ada:canary'), /refuses this user and password/],
    ['no Elasticsearch', () => at('web:right'), /is not an Elasticsearch/],
    ['an address without a server', () => 'http://ada:canary@127.0.0.1:9', /nothing answers at 127.0.0.1:9/],
  ] as const) {
    test(`it refuses ${what} and names the variable`, async () => {
      await assert.rejects(read({ MILLRACE_DEMO_SEARCH_URL: address() }), (error) => {
        assert.ok(error instanceof EnvironmentError)
        assert.match(error.message, /^MILLRACE_DEMO_SEARCH_URL/)
        assert.match(error.message, says)
        return !error.message.includes('canary')
      })
    })
  }

  test('it refuses invalid ports and unknown options', async () => {
    await assert.rejects(read({ PORT: 'abc' }), /^EnvironmentError: PORT must be/)
    await assert.rejects(
      read({}, ['--onec']),
      /^EnvironmentError: .*'--onec'; the options are --once and --sandbox$/,
    )
  })
})
