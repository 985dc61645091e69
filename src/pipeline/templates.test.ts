import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseNodes } from './nodes.ts'
import { findTemplate, listTemplates } from './templates.ts'

describe('templates', () => {
  test('are listed with exactly the fields clients require', () => {
    const list = listTemplates()
    assert.deepEqual(
      list.map((template) => template.id),
      ['hi_res_partition', 'hi_res_and_enrichment'],
    )
    for (const template of list) {
      assert.deepEqual(Object.keys(template), ['id', 'name', 'description', 'version', 'last_updated'])
      for (const value of Object.values(template)) assert.equal(typeof value, 'string')
    }
  })

  test('have nodes in their detail, beginning with a partitioner', () => {
    for (const { id } of listTemplates()) {
      const nodes = findTemplate(id)?.nodes ?? []
      assert.equal(nodes[0]?.type, 'partition')
      assert.equal(new Set(nodes.map((node) => node.id)).size, nodes.length)
    }
  })

  test('can be used without a provider if they need no model', () => {
    const nodes = findTemplate('hi_res_partition')?.nodes
    assert.deepEqual(parseNodes(nodes), nodes)
  })

  test('use a configured model; without one the error names the variable to set', () => {
    const nodes = findTemplate('hi_res_and_enrichment')?.nodes
    assert.throws(() => parseNodes(nodes), { code: 'invalid_request', message: /MILLRACE_OPENAI_API_KEY/ })
    for (const provider of ['openai', 'anthropic', 'azure_openai', 'bedrock']) {
      const configured = { [provider]: { model: 'a-model' } }
      const found = findTemplate('hi_res_and_enrichment', configured)?.nodes
      const parsed = parseNodes(found, { configured })
      assert.deepEqual(
        parsed.map(({ subtype, settings }) => [subtype, settings.model]),
        [
          ['hi_res', undefined],
          [`${provider}_image_description`, 'a-model'],
          [`${provider}_table_description`, 'a-model'],
        ],
      )
    }
  })

  test('are copied for every caller', () => {
    findTemplate('hi_res_partition')?.nodes.pop()
    assert.equal(findTemplate('hi_res_partition')?.nodes.length, 1)
  })

  test('that do not exist are undefined', () => {
    assert.equal(findTemplate('nonexistent_template'), undefined)
  })
})
