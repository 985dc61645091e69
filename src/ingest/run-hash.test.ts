import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultNodes, parseNodes, plan } from '../pipeline/nodes.ts'
import { createRunnerFactory } from '../pipeline/runner-factory.ts'
import { runHash } from './run-hash.ts'

const plain = { rendition: '', vectors: undefined }

test('it changes with the index, the rendition and the vectors', () => {
  const nodes = defaultNodes()
  const hashes = [
    runHash(nodes, 'the-index', plain),
    runHash(nodes, 'another', plain),
    runHash(nodes, 'the-index', { ...plain, rendition: 'images' }),
    runHash(nodes, 'the-index', { ...plain, rendition: 'images files' }),
    runHash(nodes, 'the-index', { ...plain, vectors: 'images' }),
  ]
  assert.equal(new Set(hashes).size, hashes.length)
})

test('it changes with the address of the embedding model, but not for the local model', async () => {
  const hashAt = async (baseUrl: string, subtype: string) => {
    const runners = createRunnerFactory({
      models: { endpoints: { openai: { baseUrl, apiKey: null, model: '' } } },
    })
    const written = [
      { name: 'P', type: 'partition', subtype: 'auto' },
      { name: 'C', type: 'chunk', subtype: 'chunk_by_title' },
      { name: 'E', type: 'embed', subtype },
    ]
    const nodes = parseNodes(written, { configured: runners.configured })
    const { embedder } = await runners.create(plan(nodes))
    await runners.close()
    return runHash(nodes, 'the-index', { ...plain, vectors: embedder?.identity })
  }
  const [here, there] = ['http://127.0.0.1:1/v1', 'http://127.0.0.1:2/v1']
  assert.equal(await hashAt(here, 'openai'), await hashAt(here, 'openai'))
  assert.notEqual(await hashAt(here, 'openai'), await hashAt(there, 'openai'))
  assert.equal(await hashAt(here, 'local'), await hashAt(there, 'local'))
})
