import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { appliesTo, fillTemplate } from './setup.ts'

describe('a setup step', () => {
  test('it applies to the values that it names', () => {
    assert.equal(appliesTo({ when: {} }, { cloud: false }), true)
    assert.equal(appliesTo({ when: { cloud: true } }, { cloud: true }), true)
    assert.equal(appliesTo({ when: { cloud: true } }, { cloud: false }), false)
  })

  test('it has the typed values, else the examples', () => {
    const fields = [{ name: 'index_name', placeholder: 'wiki' }]
    assert.equal(
      fillTemplate('{{url}}/tokens', { values: { url: 'https://a.example/' }, fields }),
      'https://a.example/tokens',
    )
    assert.equal(
      fillTemplate('PUT /{{index_name}}', { values: { index_name: ' pages ' }, fields }),
      'PUT /pages',
    )
    assert.equal(fillTemplate('PUT /{{index_name}}', { values: { index_name: '' }, fields }), 'PUT /wiki')
    assert.equal(fillTemplate('{{url}}/tokens', { values: {}, fields: [] }), '/tokens')
  })
})
