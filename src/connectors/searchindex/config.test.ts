import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { openEgress } from '../../../test/world/search-engine/fresh-index.ts'
import { refuseHosts, searchIndexConfig } from './config.ts'

const good = { hosts: ['https://a.es.io'], search_api_key: 'abc==', index_name: 'wiki' }
const problems = (config: object) =>
  searchIndexConfig.safeParse({ ...good, ...config }).error?.issues.map((issue) => issue.path[0]) ?? []

describe('the config of a searchindex destination', () => {
  test('accepts one host as a string or several as a list', () => {
    assert.deepEqual(searchIndexConfig.parse({ ...good, hosts: 'https://a.es.io' }).hosts, [
      'https://a.es.io',
    ])
    assert.deepEqual(problems({ hosts: ['https://a.es.io', 'https://b.es.io:9243'] }), [])
    assert.deepEqual(problems({ hosts: [] }), ['hosts'])
  })

  test('refuses addresses with credentials, a query or a fragment', () => {
    for (const host of [
      'a.es.io',
      'ftp://a.es.io',
      'https://u:p@a.es.io',
      'https://a.es.io?x',
      'https://a.es.io/#',
    ]) {
      assert.deepEqual(problems({ hosts: [host] }), ['hosts'], host)
    }
  })

  test('accepts the index names that a cluster accepts, one at a time', () => {
    for (const name of ['wiki', 'wiki-2026.11', '1', 'wissen_für_alle']) {
      assert.deepEqual(problems({ index_name: name }), [], name)
    }
    const bad = [
      'Wiki',
      'wiki*',
      'a,b',
      '../a',
      'a/b',
      '-a',
      '_all',
      '+a',
      '.',
      '..',
      '.security',
      'a b',
      'ä'.repeat(128),
    ]
    for (const name of [...bad, '', '<wiki-{now}>', 'cluster:wiki']) {
      assert.deepEqual(problems({ index_name: name }), ['index_name'], name)
    }
  })

  test('describes itself as JSON Schema with the secret marked', () => {
    const schema = z.toJSONSchema(searchIndexConfig, { io: 'input' }) as {
      properties: Record<string, object>
    }
    assert.deepEqual(Object.keys(schema.properties), ['hosts', 'search_api_key', 'index_name'])
    assert.equal((schema.properties.search_api_key as { secret?: boolean }).secret, true)
    assert.equal((schema.properties.hosts as { type?: string }).type, 'array')
  })
})

describe('the hosts a server may send to', () => {
  const refused = (host: string, allowed = false) =>
    refuseHosts({ ...good, hosts: [host] }, { ...openEgress(), isAllowed: () => allowed }).map(
      ({ msg }) => msg,
    )

  test('are those of hosted search services', () => {
    for (const host of [
      'https://x.es.eu.aws.elastic-cloud.com',
      'https://a.elastic.cloud:443',
      'https://a.b.found.io',
    ]) {
      assert.deepEqual(refused(host), [], host)
    }
  })

  test('are no others, and the message names the alternative', () => {
    const others = [
      'http://a.es.io',
      'https://es.io',
      'https://notes.io',
      'https://a.es.io.evil.example',
      'https://a.es.io.',
    ]
    for (const host of [
      ...others,
      'https://127.0.0.1',
      'https://[::1]',
      'https://localhost',
      'https://evil.example/es.io',
    ]) {
      assert.match(refused(host)[0] ?? '', /millrace-ingest/, host)
    }
  })

  test('are any that the operator allows', () => {
    assert.deepEqual(refused('http://127.0.0.1:9200', true), [])
  })
})
