import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classWords, principalOf } from './principal-token.ts'

test('it splits a token at its first colon', () => {
  assert.deepEqual(principalOf('user:557058:ab'), { kind: 'user', id: '557058:ab' })
  assert.deepEqual(principalOf('group:wiki.example/staff'), { kind: 'group', id: 'wiki.example/staff' })
  assert.deepEqual(principalOf('class:anonymous-users'), { kind: 'class', id: 'anonymous-users' })
  assert.deepEqual(principalOf('odd'), { kind: 'other', id: 'odd' })
})

test('it words known classes, with and without a site', () => {
  assert.equal(classWords('all-licensed-users'), 'every licensed user')
  assert.equal(classWords('wiki.example/authenticated-users'), 'everyone who is signed in')
  assert.equal(classWords('new-class'), 'new-class')
})
