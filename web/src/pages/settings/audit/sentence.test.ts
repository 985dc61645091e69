import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditTexts } from '../../../texts/audit.ts'
import { actionKinds } from './action-kinds.ts'
import { actorOf, otherDetails, sentenceOf } from './sentence.ts'

const said = (action: string, details: Record<string, unknown>) =>
  sentenceOf({ action, details })
    .map(({ text }) => text)
    .join('')

describe('a sentence of the audit log', () => {
  test('names what was changed and links to it', () => {
    const parts = sentenceOf({ action: 'create_workflow', details: { workflow: 'w1', name: 'Handbook' } })
    assert.deepEqual(parts, [
      { text: 'created the workflow ' },
      { text: 'Handbook', target: { kind: 'workflow', id: 'w1' } },
    ])
  })

  test('links a run to its job', () => {
    const details = { workflow: 'w1', name: 'Handbook', job: 'j1' }
    const [, named] = sentenceOf({ action: 'run_workflow', details })
    assert.deepEqual(named?.target, { kind: 'job', id: 'j1' })
  })

  test('names the person of a search', () => {
    const details = { destination: 'd1', name: 'Index', as: { user: 'u7' }, query: 'holiday' }
    assert.equal(said('search_as', details), 'searched Index as u7')
    assert.equal(said('search_as', { name: 'Index', as: { groups: ['a', 'b'] } }), 'searched Index as a, b')
    assert.deepEqual(otherDetails({ action: 'search_as', details }), [
      ['destination', 'd1'],
      ['query', 'holiday'],
    ])
    const person = sentenceOf({ action: 'search_as', details }).at(-1)
    assert.deepEqual(person?.account, { id: 'u7', destination: 'd1' })
  })

  test('lists changed settings in words', () => {
    const details = { name: 'Wiki', fields: ['config.max_image_bytes', 'name'] }
    assert.deepEqual(otherDetails({ action: 'change_source', details }), [
      ['changed', 'max image bytes, name'],
    ])
  })

  test('works for entries without names and for unknown actions', () => {
    assert.equal(said('delete_index', { destination: 'd1' }), 'deleted an old index of d1')
    assert.equal(said('move_index', {}), 'move index')
    assert.equal(said('constructor', {}), 'constructor')
    assert.equal(said('invite', {}), 'invited without a name as without a name')
  })

  test('names keys, former members and the operator', () => {
    assert.equal(actorOf({ actor: 'key:123456789', actor_name: null }), 'Key 23456789')
    assert.equal(actorOf({ actor: 'person:abcdefghijk', actor_name: null }), 'Former member defghijk')
    assert.equal(actorOf({ actor: 'operator', actor_name: null }), 'Service operator')
  })

  test('has a text for every action of the filter', () => {
    for (const action of Object.values(actionKinds).flat()) assert.ok(auditTexts.actions[action], action)
  })
})
