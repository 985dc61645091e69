import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findType, locationOf, offeredTypes, schemaConfig } from './connector-type.ts'
import type { ConnectorType } from './types.ts'

const type: ConnectorType = {
  type: 'shelf',
  kind: 'destination',
  title: 'Shelf',
  systems: [],
  about: 'A shelf of elements.',
  icon: 'books',
  docs: 'docs/shelf.md',
  terms: { system: 'file system', scope: 'shelf', document: 'element' },
  aliases: ['board'],
  field_aliases: { secret_key: 'key' },
  location_fields: ['hosts', 'name'],
  sign_in_modes: [],
  setup: [],
  document_addresses: [],
  capabilities: [],
  sample: false,
  schema: {},
}

describe('a connector type', () => {
  test('is found by its name and its aliases, within its kind', () => {
    assert.equal(findType([type], 'destination', 'shelf'), type)
    assert.equal(findType([type], 'destination', 'board'), type)
    assert.equal(findType([type], 'source', 'shelf'), undefined)
    assert.equal(findType([type], 'destination', undefined), undefined)
    assert.equal(findType(undefined, 'destination', 'shelf'), undefined)
  })

  test('is offered for new connectors of its kind, unless it is a sample', () => {
    const sample: ConnectorType = { ...type, type: 'trial', sample: true }
    assert.deepEqual(offeredTypes([type, sample], 'destination'), [type])
    assert.deepEqual(offeredTypes([type, sample], 'source'), [])
  })

  test('names the fields of a stored config as its schema does', () => {
    assert.deepEqual(schemaConfig(type, { secret_key: 'a', name: 'b' }), { key: 'a', name: 'b' })
  })

  test('has an address from its location fields, with the first entry of a list', () => {
    const hosts = ['https://a.example:9200/', 'https://b.example']
    assert.equal(locationOf(type, { hosts, name: 'pages' }), 'a.example:9200/pages')
    assert.equal(
      locationOf({ ...type, location_fields: ['path'] }, { path: '/srv/notes.json' }),
      '/srv/notes.json',
    )
    assert.equal(locationOf(type, {}), '')
  })
})
