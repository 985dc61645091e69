import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../errors.ts'
import { parseNodes } from '../nodes.ts'
import { isAllowedModel } from './allowed-models.ts'
import { configuredOf } from './endpoints.ts'
import { openModels } from './models.ts'

const endpoint = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: null, model: 'small' }
const azure = { ...endpoint, apiVersion: '2024-10-21' }

test('it matches whole names, with * for any text', () => {
  const allowed = ['openai/gpt-4o*', '*/small', 'bedrock/a.b']
  const cases: [string, string, boolean][] = [
    ['openai', 'gpt-4o-mini', true],
    ['openai', 'my/gpt-4o', false],
    ['cohere', 'small', true],
    ['cohere', 'smaller', false],
    ['bedrock', 'a.b', true],
    ['bedrock', 'axb', false],
  ]
  for (const [provider, model, expected] of cases)
    assert.equal(isAllowedModel(allowed, { provider, model }), expected, `${provider}/${model}`)
  assert.ok(isAllowedModel([], { provider: 'openai', model: 'any' }))
})

test('it checks the deployment of an embedder, not only its name', () => {
  const configured = configuredOf({ azure_openai: azure }, ['azure_openai/text-embedding-3-small'])
  const nodes = (settings: object) => [
    { type: 'partition', subtype: 'auto' },
    { type: 'chunk', subtype: 'chunk_by_title' },
    {
      type: 'embed',
      subtype: 'azure_openai',
      settings: { model_name: 'text-embedding-3-small', ...settings },
    },
  ]
  assert.equal(parseNodes(nodes({}), { configured }).length, 3)
  assert.throws(
    () => parseNodes(nodes({ deployment: 'large' }), { configured }),
    /"azure_openai\/large" is not/,
  )
})

test('it refuses a model when it is used, and prefers an allowed default', () => {
  const endpoints = { openai: endpoint, anthropic: { ...endpoint, model: 'big' } }
  const models = openModels({ endpoints, allowed: ['openai/small'] })
  assert.throws(() => models.find({ provider: 'anthropic', model: 'big' }), AppError)
  assert.equal(models.find({ provider: 'openai', model: 'small' }).name, 'small of openai')
  const vision = [{ type: 'partition', subtype: 'vlm' }]
  const [node] = parseNodes(vision, { configured: models.configured })
  assert.deepEqual([node?.settings.provider, node?.settings.model], ['openai', 'small'])
})
