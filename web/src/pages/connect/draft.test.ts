import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freeName, suggestedValues, withoutSecrets } from './draft.ts'

describe('a draft', () => {
  test('it holds no secret and no unknown field', () => {
    const fields = [
      { name: 'url', kind: 'text' as const },
      { name: 'token', kind: 'secret' as const },
    ]
    assert.deepEqual(withoutSecrets(fields, { url: 'x', token: 'canary', other: 'canary' }), { url: 'x' })
  })

  test('it holds no user name or password of an address', () => {
    const fields = [
      { name: 'url', kind: 'text' as const },
      { name: 'hosts', kind: 'list' as const },
      { name: 'user', kind: 'text' as const },
    ]
    const values = (userInfo: string) => ({
      url: `https://${userInfo}wiki.example/x@y`,
      hosts: [`http://${userInfo}one:9200`],
      user: 'ada@acme.example',
    })
    assert.deepEqual(withoutSecrets(fields, values('ada:canary@')), values(''))
  })

  test('it starts with what the type suggests', () => {
    assert.deepEqual(
      suggestedValues([
        { name: 'index', suggested: 'wiki' },
        { name: 'port', suggested: undefined },
      ]),
      {
        index: 'wiki',
      },
    )
  })

  test('it has a name that is free', () => {
    assert.equal(freeName('Wiki', []), 'Wiki')
    assert.equal(freeName('Wiki', ['wiki']), 'Wiki 2')
    assert.equal(freeName('Wiki', ['Wiki', 'Wiki 2', 'Other']), 'Wiki 3')
  })
})
