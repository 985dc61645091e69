import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { byPage, contents, type Indexed } from '../world/agreement.ts'
import { type Flow, type JobResult, run } from '../world/flow.ts'
import { assertSuccess, type OpenSpace, openSpace } from '../world/open-space.ts'
import { hasPicture, pictureFile, pictures } from '../world/parts.ts'
import { imageAt, imageOf, ownImage } from '../world/storage.ts'
import { invalidFiles } from '../world/wiki/render/images.ts'
import type { World } from '../world/world.ts'

/** Pictures are part of their page if they can be fetched and may be read. */
describe('pictures of pages', () => {
  let world: World
  let flow: Flow
  let setSource: OpenSpace['setSource']
  let gallery: string
  let other: string
  let own: string
  let plain: string

  before(async () => {
    ;({ world, flow, setSource } = await openSpace(32, { spaces: ['OPN'], extract_images: true }))
    const { control } = world.wiki
    plain = await control.createPage({ space: 'OPN', title: 'Plain', body: '<p>No picture at all.</p>' })
    gallery = await control.createPage({ space: 'OPN', title: 'Gallery' })
    own = await control.attach(gallery, pictureFile(1, 'cat.png'))
    // Declared as another type than its content.
    await control.attach(gallery, { ...pictureFile(2, 'dog.jpg'), mediaType: 'image/jpeg' })
    await control.attach(gallery, invalidFiles.missing)
    await control.attach(gallery, invalidFiles.disguised)
    await control.editPage(gallery, {
      body: [
        '<h1>Animals</h1><p>The first paragraph.</p>',
        named('cat.png'),
        '<p>The second paragraph.</p>',
        named('dog.jpg'),
        `<p><img src="data:image/png;base64,${bytes(3)}" /></p>`,
        ownImage(invalidFiles.missing.title),
        ownImage(invalidFiles.disguised.title),
        imageAt(`${world.wiki.mediaUrl}/nowhere.png`, 'Nowhere'),
        '<p>The last paragraph.</p>',
      ].join('\n'),
    })
    const owner = await control.createPage({ space: 'OPN', title: 'Owner' })
    await control.attach(owner, pictureFile(4, 'secret plan.png'))
    other = await control.createPage({
      space: 'OPN',
      title: 'Other',
      body: `<p>Look at this:</p>${imageOf('secret plan.png', 'Owner', 'The plan')}<p>Well.</p>`,
    })
  })
  after(() => world.close())

  test('it keeps pages without pictures and processes all pages after pictures are turned on', async () => {
    await setSource({ extract_images: false })
    const { details } = await assertSuccess(run(world, flow))
    assert.deepEqual([details.warnings, details.message], [[], null])
    assert.deepEqual(
      (await contents(world)).filter(
        (element) => element._source.metadata.filename !== `${gallery}.html` && hasPicture(element),
      ),
      [],
    )
    await setSource({})
    const again = await assertSuccess(run(world, flow))
    assert.equal(again.details.counts.changed, again.details.counts.discovered)
  })

  test('it makes each picture an element of its page, with the type of its content', async () => {
    const all = (await elementsOf(gallery)).filter(hasPicture)
    assert.ok(all.every((element) => element._source.type === 'Image'))
    assert.deepEqual(
      new Map(all.map(({ _source: { metadata } }) => [fileName(metadata.image_url), metadata.image_base64])),
      new Map([
        ['cat.png', bytes(1)],
        ['dog.jpg', bytes(2)],
        ['', bytes(3)],
      ]),
    )
    assert.ok(all.every((element) => element._source.metadata.image_mime_type === 'image/png'))
    assert.ok(
      all.every((element) => element._source.text === ''),
      'a file name is not text',
    )
    for (const { _source } of all) {
      const about = _source.metadata.data_source
      const text = (await elementsOf(gallery)).find((element) => !hasPicture(element))
      assert.deepEqual(about.access, text?._source.metadata.data_source.access)
      assert.deepEqual(about.permissions_data, text?._source.metadata.data_source.permissions_data)
    }
  })

  test('it counts pictures that cannot be fetched and keeps the rest of the page', async () => {
    const { details, id } = await assertSuccess(reworked())
    const [warning, ...others] = details.warnings
    assert.deepEqual([warning?.code, warning?.documents, others], ['images_missing', 1, []])
    assert.match(warning?.message ?? '', /^3 images on 1 page could not be included/)
    assert.equal(
      details.message?.startsWith(warning?.message.slice(0, 60) ?? '-'),
      true,
      details.message ?? '',
    )
    const { body } = await world.api.get<Documents>(`/jobs/${id}/documents?limit=100`)
    const { state, warnings } = body.items.find((item) => item.record_id.endsWith(gallery)) ?? {}
    assert.deepEqual(
      [state, warnings?.map(({ code, count }) => [code, count])],
      ['changed', [['images_missing', 3]]],
    )
    const text = (await elementsOf(gallery)).map((element) => element._source.text).join('\n')
    for (const words of ['The first paragraph.', 'The second paragraph.', 'The last paragraph.'])
      assert.ok(text.includes(words), text)
  })

  test('it treats a new version of a picture as a change of its page only', async () => {
    const stamp = await processedAt(plain)
    await world.wiki.control.updateAttachment(own, { base64: bytes(5) })
    await assertSuccess(run(world, flow))
    const cat = (await elementsOf(gallery)).find(
      ({ _source: { metadata } }) => fileName(metadata.image_url) === 'cat.png',
    )
    assert.equal(cat?._source.metadata.image_base64, bytes(5))
    assert.deepEqual(await processedAt(plain), stamp)
  })

  test('it keeps only the alternative text of a picture of another page', async () => {
    const elements = await elementsOf(other)
    assert.deepEqual(elements.filter(hasPicture), [])
    assert.deepEqual(
      elements.map(({ _source }) => _source.text),
      ['Other\n\nLook at this:\n\nThe plan\n\nWell.'],
    )
  })

  test('it removes pictures after they are turned off', async () => {
    await setSource({ extract_images: false })
    await assertSuccess(run(world, flow))
    const held = await pictures(world)
    assert.deepEqual(
      held.map(({ _source }) => _source.metadata.image_base64),
      [bytes(3)],
      'except the picture inside the page',
    )
  })

  const elementsOf = async (id: string): Promise<Indexed[]> => byPage(await contents(world)).get(id) ?? []

  const processedAt = async (id: string) =>
    (await elementsOf(id)).map(({ _source }) => _source.metadata.data_source.date_processed)

  async function reworked(): Promise<JobResult> {
    const put = (reprocess_all: boolean) => world.api.put(`/workflows/${flow.workflowId}`, { reprocess_all })
    assert.equal((await put(true)).status, 200)
    const ended = await run(world, flow)
    assert.equal((await put(false)).status, 200)
    return ended
  }
})

type Documents = {
  items: { record_id: string; state: string; warnings?: { code: string; count: number }[] }[]
}

/** With its file name as alternative text. */
const fileName = (url: unknown) =>
  String(url ?? '')
    .split('/')
    .at(-1) ?? ''
const named = (title: string) => ownImage(title).replace('<ac:image>', `<ac:image ac:alt="${title}">`)

const bytes = (seed: number) => pictureFile(seed).base64
