import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { shorten } from './shorten.ts'

describe('a shortened value', () => {
  const field = {
    shortens: [
      { pattern: '^(https://[^/]+)/room/([^/]+)', value: '$1', scope: '$2' },
      { pattern: '^(https://[^/]+)/.', value: '$1' },
    ],
  }

  test('has the groups of the first pattern that matches', () => {
    assert.deepEqual(shorten(field, ' https://A.example/Room/%7Ea%20b/x '), {
      value: 'https://A.example',
      scope: '~a b',
    })
    assert.deepEqual(shorten(field, 'https://a.example/x'), { value: 'https://a.example', scope: undefined })
  })

  test('stays as it is, without the space around it, if no pattern matches', () => {
    assert.equal(shorten(field, ' https://a.example/ ').value, 'https://a.example/')
    assert.equal(shorten(field, 'https://a.example/room/%').scope, '%')
    assert.equal(shorten({ shortens: [] }, 'x').value, 'x')
  })
})
