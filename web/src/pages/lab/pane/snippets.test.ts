import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { nativeSnippet, prettyJson, searchSnippets } from './snippets.ts'

const origin = 'https://mill.acme.example:8443'
const body = { query: `it's $HOME "quoted" \\ [1,  2]`, as: { user: '557058:a' }, size: 10 }

/** The arguments that a shell passes to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}`
  const env = {
    MILLRACE_API_KEY: 'k',
    ELASTICSEARCH_URL: 'http://engine',
    ELASTICSEARCH_AUTHORIZATION: 'ApiKey e',
  }
  return execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1)
}

describe('a search as a snippet', () => {
  const snippets = searchSnippets({ origin, destinationId: 'd1', body })

  test('it names the service and takes the key from a variable', () => {
    for (const [language, code] of Object.entries(snippets)) {
      assert.match(code, /https:\/\/mill\.acme\.example:8443/, language)
      assert.match(code, /MILLRACE_API_KEY/, language)
    }
  })

  test('it passes a query with quotes and dollars through a shell unchanged', () => {
    const passed = argumentsOf(snippets.curl)
    assert.equal(passed[0], `${origin}/api/v1/destinations/d1/search`)
    assert.ok(passed.includes('Authorization: Bearer k'))
    assert.deepEqual(JSON.parse(passed.at(-1) ?? ''), body)
  })

  test('it writes the query of an engine as a command, and SQL as it is', () => {
    const of = { dialect: 'elasticsearch', title: 'Elasticsearch' } as const
    const request = {
      method: 'POST',
      path: '/my-index/_search',
      body: { query: { match: { text: "it's" } } },
    }
    const passed = argumentsOf(nativeSnippet({ ...of, request, sql: null }) ?? '')
    assert.ok(passed.includes('Authorization: ApiKey e'))
    assert.deepEqual(passed.slice(0, 3), ['-X', 'POST', 'http://engine/my-index/_search'])
    assert.deepEqual(JSON.parse(passed.at(-1) ?? ''), request.body)
    assert.equal(nativeSnippet({ ...of, request: null, sql: 'select 1' }), 'select 1')
    assert.equal(nativeSnippet({ ...of, request: null, sql: null }), null)
  })

  test('it keeps a vector in one line', () => {
    assert.equal(prettyJson({ v: [0.5, -1e-7], t: ['[1,  2]'] }).split('\n').length, 6)
    assert.deepEqual(JSON.parse(prettyJson(body)), body)
  })
})
