import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { personOf, tokenOf } from './person.ts'

describe('a person to search as', () => {
  test('has an account, groups, or both', () => {
    assert.deepEqual(personOf({ user: ' 557058:a ' }), { user: '557058:a' })
    assert.deepEqual(personOf({ groups: 'g1, g2,\n g3,' }), { groups: ['g1', 'g2', 'g3'] })
    assert.deepEqual(personOf({ user: 'a', groups: 'g1' }), { user: 'a', groups: ['g1'] })
  })

  test('is undefined without account and groups', () => {
    assert.equal(personOf({ user: ' ', groups: ' , ' }), undefined)
  })

  test('has tokens whose ids may contain colons', () => {
    assert.deepEqual(tokenOf('user:557058:a'), { kind: 'user', id: '557058:a' })
    assert.deepEqual(tokenOf('class:anonymous-users'), { kind: 'class', id: 'anonymous-users' })
    assert.deepEqual(tokenOf('someone'), { kind: 'other', id: 'someone' })
  })
})
