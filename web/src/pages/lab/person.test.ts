import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addressOfPeople, peopleIn, personOf } from './person.ts'

describe('people to search as', () => {
  test('it takes an account, groups, or both', () => {
    assert.deepEqual(personOf({ user: ' 557058:a ' }), { user: '557058:a' })
    assert.deepEqual(personOf({ groups: 'g1, g2,\n g3,' }), { groups: ['g1', 'g2', 'g3'] })
    assert.deepEqual(personOf({ user: 'a', groups: 'g1' }), { user: 'a', groups: ['g1'] })
    assert.equal(personOf({ user: ' ', groups: ' , ' }), undefined)
  })

  test('it reads addresses with one and two people', () => {
    assert.deepEqual(peopleIn({}), [])
    assert.deepEqual(peopleIn({ user: 'a' }), [{ user: 'a' }])
    assert.deepEqual(peopleIn({ user: 'a', user2: 'b', groups2: 'g' }), [
      { user: 'a' },
      { user: 'b', groups: ['g'] },
    ])
  })

  test('it shows the same person once', () => {
    assert.deepEqual(peopleIn({ user: 'a', user2: 'a', user3: 'b' }), [{ user: 'a' }, { user: 'b' }])
  })

  test('it keeps people in the address and clears the other places', () => {
    const people = [{ user: 'a' }, { groups: ['g1', 'g2'] }]
    const address = addressOfPeople(people)
    assert.deepEqual(peopleIn({ user3: 'c', ...address }), people)
  })
})
