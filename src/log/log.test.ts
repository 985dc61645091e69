import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../errors.ts'
import { createLogger } from './log.ts'
import { createRedactionRegistry } from './redaction.ts'

const CANARY = 'ATATT-canary"\\/secret+1'

function testLog(...secrets: string[]) {
  const written: string[] = []
  const registry = createRedactionRegistry()
  for (const secret of secrets) registry.add(secret)
  const log = createLogger({
    level: 'debug',
    secrets: registry,
    stream: { write: (line) => written.push(line) },
  })
  return {
    log,
    text: () => written.join(''),
    parsed: () => written.map((line): Record<string, unknown> => JSON.parse(line)),
  }
}

describe('the log', () => {
  test('writes fields as JSON lines', () => {
    const { log, parsed } = testLog(CANARY)
    log.info({ job: 'j1', documents: 3 }, 'job started')
    const [line] = parsed()
    assert.equal(line?.level, 'info')
    assert.equal(line?.msg, 'job started')
    assert.equal(line?.documents, 3)
  })

  test('hides a known secret anywhere in a line', () => {
    const { log, text, parsed } = testLog(CANARY)
    const cause = new Error(`GET https://wiki.example/?os_token=${encodeURIComponent(CANARY)} failed`)
    const error = new AppError('source_failed', `reading with ${CANARY}`, { cause })
    log.info({ deep: { list: [{ note: `is ${CANARY}!` }] } }, `message ${CANARY}`)
    log.error({ err: error }, 'failed')
    log.error(error)
    log.child({ bound: CANARY }).warn({ count: 1 }, 'child')
    assert.doesNotMatch(text(), /canary/)
    assert.equal(parsed().length, 4)
    assert.equal(parsed()[0]?.msg, 'message [redacted]')
  })

  test('hides a known secret inside a Basic header, whatever the length of the user name', () => {
    for (const user of ['', 'a', 'ab', 'abc', 'ada@example.com']) {
      for (const form of ['base64', 'base64url'] as const) {
        const basic = Buffer.from(`${user}:${CANARY}`).toString(form)
        const { log, parsed } = testLog(CANARY)
        log.info({ header: `Basic ${basic} end` }, 'sent')
        assert.equal(parsed()[0]?.header, 'Basic [redacted] end', `${user} ${form}`)
      }
    }
  })

  test('hides fields by their name at any depth, in any spelling', () => {
    const { log, text, parsed } = testLog()
    const names = ['authorization', 'Proxy-Authorization', 'cookie', 'set-cookie', 'x-api-key', 'apiKey']
    names.push('unstructured-api-key', 'search_api_key', 'es_api_key', 'token', 'api_token', 'accessToken')
    names.push('password', 'client_secret', 'clientSecret', 'masterKey', 'DATABASE_URL')
    for (const name of names) log.info({ req: { headers: [{ [name]: 'canary' }] } }, name)
    log.info({ headers: { authorization: ['Bearer canary'] } }, 'list')
    assert.doesNotMatch(text(), /canary/)
    assert.equal(parsed().length, names.length + 1)
  })

  test('keeps fields whose names only resemble secrets', () => {
    const { log, parsed } = testLog()
    log.info({ tokens: 126, hasPassword: true, tokenizer: 'x', token: null }, 'embedded')
    assert.equal(parsed()[0]?.tokens, 126)
    assert.equal(parsed()[0]?.tokenizer, 'x')
    assert.equal(parsed()[0]?.token, null)
  })

  test('stays valid JSON when a secret looks like a part of it', () => {
    const { log, parsed } = testLog('12345678', '"level"', '{"deep')
    log.info({ count: 9_123_456_780, deep: { x: 'a "level" b' } }, '{"deep')
    assert.deepEqual(parsed()[0]?.deep, { x: 'a [redacted] b' })
    assert.equal(parsed()[0]?.count, '[redacted]')
  })

  test('keeps the names of fields when a secret equals one', () => {
    const { log, parsed } = testLog('job_id', 'documents')
    log.info({ job_id: 'j1', of: { documents: 3 } }, 'reads job_id')
    assert.equal(parsed()[0]?.job_id, 'j1')
    assert.deepEqual(parsed()[0]?.of, { documents: 3 })
    assert.equal(parsed()[0]?.msg, 'reads [redacted]')
  })

  test('hides the longer of two overlapping secrets completely', () => {
    const { log, text } = testLog('canary', 'canary-and-more')
    log.info({}, 'canary-and-more')
    assert.doesNotMatch(text(), /more/)
  })

  test('hides secrets that are added later', () => {
    const written: string[] = []
    const secrets = createRedactionRegistry()
    const log = createLogger({ level: 'info', secrets, stream: { write: (line) => written.push(line) } })
    secrets.add('late-canary')
    log.info({}, 'late-canary')
    assert.doesNotMatch(written.join(''), /canary/)
  })
})
