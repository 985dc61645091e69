import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createCanvas } from '@napi-rs/canvas'
import { contents } from '../world/agreement.ts'
import { type Flow, run } from '../world/flow.ts'
import { assertSuccess, openSpace } from '../world/open-space.ts'
import type { World } from '../world/world.ts'

/** Text in the pictures of pages, with `hi_res`. */
describe('pictures of pages', () => {
  let world: World
  let flow: Flow

  before(async () => {
    ;({ world, flow } = await openSpace(39, { spaces: ['OPN'], extract_images: true }))
    const nodes = [
      { name: 'Partitioner', type: 'partition', subtype: 'hi_res', settings: {} },
      { name: 'Chunker', type: 'chunk', subtype: 'chunk_by_title', settings: {} },
    ]
    const answer = await world.api.put(`/workflows/${flow.workflowId}`, { workflow_nodes: nodes })
    assert.equal(answer.status, 200, answer.text)
    const base64 = (await drawing('Sluice keeper')).toString('base64')
    const body =
      '<p>See the plan.</p><ac:image ac:alt="a plan"><ri:attachment ri:filename="plan.png" />' +
      '<ac:caption><p>The plan of May</p></ac:caption></ac:image>'
    for (const title of ['First', 'Second']) {
      const page = await world.wiki.control.createPage({ space: 'OPN', title, body })
      await world.wiki.control.attach(page, { title: 'plan.png', mediaType: 'image/png', base64 })
    }
  })
  after(() => world.close())

  test('it indexes their text with its confidence, next to the alternative text', async () => {
    await assertSuccess(run(world, flow))
    const elements = (await contents(world)).map(({ _source }) => _source)
    const pictures = elements.filter(({ metadata }) => metadata.image_base64 !== undefined)
    assert.deepEqual(
      pictures.map(({ text }) => text),
      ['a plan\nSluice keeper', 'a plan\nSluice keeper'],
    )
    assert.equal(new Set(pictures.map(({ record_id }) => record_id)).size, 2)
    for (const { metadata } of pictures) assert.ok(Number(metadata.detection_class_prob) > 0.7)
    const others = elements.filter(({ metadata }) => metadata.image_base64 === undefined)
    assert.equal(others.filter(({ text }) => text.includes('The plan of May')).length, 2)
    assert.ok(others.every(({ metadata }) => metadata.detection_class_prob === undefined))
    assert.equal((await assertSuccess(run(world, flow))).details.counts.changed, 0)
  })
})

async function drawing(text: string): Promise<Buffer> {
  const canvas = createCanvas(700, 200)
  const context = canvas.getContext('2d')
  context.fillStyle = 'white'
  context.fillRect(0, 0, 700, 200)
  context.fillStyle = 'black'
  context.font = '56px sans-serif'
  context.fillText(text, 60, 120)
  return canvas.encode('png')
}
