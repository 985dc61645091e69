import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { contents } from '../world/agreement.ts'
import { type Flow, run } from '../world/flow.ts'
import { type ModelEndpoint, startModelEndpoint } from '../world/model-endpoint.ts'
import { assertSuccess, openSpace } from '../world/open-space.ts'
import { pictureFile } from '../world/parts.ts'
import { inlineImage } from '../world/wiki/render/images.ts'
import type { World } from '../world/world.ts'

const KEY = 'sk-canary-0123456789'
const partition = { name: 'P', type: 'partition', subtype: 'auto' }
const describing = { name: 'D', type: 'prompter', subtype: 'openai_image_description' }
const chunk = { name: 'C', type: 'chunk', subtype: 'chunk_by_title' }
const embed = (dimensions: number) => ({
  ...{ name: 'E', type: 'embed', subtype: 'openai' },
  settings: { model_name: 'own', dimensions },
})

/** Output of an endpoint that the operator configured reaches the index. */
describe('models behind an endpoint', () => {
  let models: ModelEndpoint
  let world: World
  let flow: Flow
  let ann: string

  before(async () => {
    models = await startModelEndpoint()
    models.says = () => 'A heron stands below the weir.'
    const env = {
      MILLRACE_OPENAI_BASE_URL: `${models.url}/v1`,
      MILLRACE_OPENAI_API_KEY: KEY,
      MILLRACE_OPENAI_MODEL: 'eyes',
    }
    ;({ world, flow, ann } = await openSpace(61, { spaces: ['OPN'], extract_images: true }, env))
    const picture = pictureFile(1).base64
    const view = `<h1>Birds</h1><p>Along the mill race.</p>${inlineImage('image/png', picture)}`
    await world.wiki.control.createPage({ space: 'OPN', title: 'Birds', body: view })
    const workflow_nodes = [partition, describing, chunk, embed(8)]
    const changed = await world.api.put(`/workflows/${flow.workflowId}`, { workflow_nodes })
    assert.equal(changed.status, 200, changed.text)
  })
  after(async () => {
    await world.close()
    await models.close()
  })

  test('it writes picture descriptions and vectors of the model', async () => {
    await assertSuccess(run(world, flow))
    const all = await contents(world)
    assert.ok(all.length >= 2)
    assert.ok(all.every(({ _source }) => (_source as { embeddings?: number[] }).embeddings?.length === 8))
    const picture = all.find(({ _source }) => _source.type === 'Image')
    assert.equal(picture?._source.text, 'A heron stands below the weir.')
    assert.equal(models.asked.find(({ path }) => path.includes('chat'))?.body.model, 'eyes')
    assert.ok(models.asked.every(({ headers }) => headers.authorization === `Bearer ${KEY}`))
  })

  test('it sends no request twice when everything is processed again', async () => {
    const before = { asked: models.asked.length, all: await contents(world) }
    await world.api.put(`/workflows/${flow.workflowId}`, { reprocess_all: true })
    const { details } = await assertSuccess(run(world, flow))
    await world.api.put(`/workflows/${flow.workflowId}`, { reprocess_all: false })
    assert.equal(details.counts.changed, details.counts.discovered)
    assert.equal(models.asked.length, before.asked)
    const texts = (all: typeof before.all) => all.map(({ _id, _source }) => [_id, _source.text])
    assert.deepEqual(texts(await contents(world)), texts(before.all))
  })

  test('it embeds queries and previews each step', async () => {
    const found = await world.api.post<{ hits: { text: string }[] }>(
      `/destinations/${flow.destinationId}/search`,
      { query: 'where do herons stand', as: { user: ann } },
    )
    assert.equal(found.status, 200, found.text)
    assert.ok(found.body.hits.length > 0)
    assert.deepEqual(models.asked.at(-1)?.body.input, ['where do herons stand'])
    const preview = await world.api.post<{
      documents: { nodes: { node: { type: string }; elements: { text: string }[]; dims?: number }[] }[]
    }>(`/workflows/${flow.workflowId}/preview`, { limit: 2 })
    const nodes = preview.body.documents[0]?.nodes ?? []
    assert.deepEqual(
      nodes.map(({ node, dims }) => [node.type, dims]),
      [
        ['partition', undefined],
        ['prompter', undefined],
        ['chunk', undefined],
        ['embed', 8],
      ],
    )
    assert.match(preview.text, /A heron stands/)
  })

  test('it fails the start if the dimensions differ, without any request', async () => {
    const asked = models.asked.length
    await world.api.put(`/workflows/${flow.workflowId}`, { workflow_nodes: [partition, chunk, embed(16)] })
    const { status, details } = await run(world, flow)
    assert.equal(status, 'FAILED')
    assert.match(details.message ?? '', /8.*16|16.*8/)
    assert.equal(models.asked.length, asked)
  })

  test('it fails documents that need a rejected key, and never shows the key', async () => {
    models.trouble = () => ({ status: 401, body: { error: `bad key ${KEY}` } })
    const settings = { model_name: 'another', dimensions: 8 }
    const workflow_nodes = [partition, describing, chunk, { ...embed(8), settings }]
    await world.api.put(`/workflows/${flow.workflowId}`, { workflow_nodes })
    const { id, details } = await run(world, flow)
    models.trouble = () => null
    // The job continues: the permissions of each document are updated.
    assert.equal(details.processing_status, 'COMPLETED_WITH_ERRORS')
    assert.equal(details.counts.failed, details.counts.discovered)
    const failed = await world.api.get<{ failed_files: { error: string }[] }>(`/jobs/${id}/failed-files`)
    for (const { error } of failed.body.failed_files)
      assert.match(error, /embedding with another of openai: the endpoint rejected the configured key/)
    const said = JSON.stringify(details) + failed.text + world.millrace.lines.join('\n')
    assert.ok(!said.includes(KEY))
  })

  test('it uses the configured provider in a template', async () => {
    const made = await world.api.post<{ workflow_nodes: { subtype: string; settings: object }[] }>(
      '/workflows',
      { name: 'by template', template_id: 'hi_res_and_enrichment' },
    )
    assert.equal(made.status, 200, made.text)
    assert.deepEqual(made.body.workflow_nodes[1]?.settings, { model: 'eyes' })
  })
})
