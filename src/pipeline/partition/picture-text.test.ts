import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCanvas } from '@napi-rs/canvas'
import type { SourceDocument } from '../../document.ts'
import { partition } from '../pipeline.ts'
import { createFileReading } from './reading/file-reading.ts'

const files = createFileReading({ readers: 1 })
after(() => files.close())
const { signal } = new AbortController()

async function picture(...lines: string[]): Promise<Buffer> {
  const canvas = createCanvas(900, 60 + 90 * lines.length)
  const context = canvas.getContext('2d')
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = 'black'
  context.font = '48px sans-serif'
  for (const [at, line] of lines.entries()) context.fillText(line, 40, 80 + 90 * at)
  return canvas.encode('png')
}

const image = (bytes: Buffer, alt: string) =>
  `<p>See it.</p><img alt="${alt}" src="data:image/png;base64,${bytes.toString('base64')}"><figcaption>The gates</figcaption>`

const settings = { exclude_elements: [] as string[], ocr_languages: ['eng'] }
async function elementsOf(html: string, strategy: 'auto' | 'hi_res') {
  // Only these fields of a ref are read.
  const ref = { title: 'Plan', filename: '7.html', url: 'https://w.example/7' } as SourceDocument['ref']
  const document: SourceDocument = { ref, version: '1', filetype: 'text/html', body: html }
  return partition(document, { settings: { ...settings, strategy }, files }, signal)
}

test('it reads the text in pictures of a page with hi_res, below the alternative text', async () => {
  const html = image(await picture('North gate', 'South gate'), 'a diagram')
  const { elements, warnings } = await elementsOf(html, 'hi_res')
  const found = elements.map(({ type, text }) => [type, text.replace(/\s+/g, ' ')])
  assert.deepEqual(found.slice(2), [
    ['Image', 'a diagram North gate South gate'],
    ['FigureCaption', 'The gates'],
  ])
  assert.deepEqual(warnings, [])
  const { metadata } = elements[2]!
  assert.ok(metadata.detection_class_prob! > 0.7 && metadata.detection_class_prob! <= 1)
  assert.equal(metadata.partitioner_type, 'hi_res')
  assert.equal(metadata.parent_id, elements[0]!.element_id)
  const { elements: again } = await elementsOf(html, 'hi_res')
  assert.deepEqual(again, elements)
})

test('it leaves pictures of a page to their alternative text with auto', async () => {
  const { elements } = await elementsOf(image(await picture('North gate'), 'a diagram'), 'auto')
  assert.equal(elements[2]?.text, 'a diagram')
  assert.equal(elements[2]?.metadata.detection_class_prob, undefined)
})

test('it reports a picture that cannot be read, and keeps the page', async () => {
  const broken = (await picture('x')).subarray(0, 16)
  const { elements, warnings } = await elementsOf(image(broken, 'a diagram'), 'hi_res')
  assert.equal(elements[2]?.text, 'a diagram')
  assert.deepEqual(
    warnings.map(({ code, count }) => [code, count]),
    [['pictures_not_read', 1]],
  )
})

test('it reads equal bytes once in a workspace, under any name', async () => {
  const reading = createFileReading({ readers: 1 })
  const bytes = await picture('North gate')
  const file = { filetype: 'image/png', bytes, url: '', strategy: 'auto', languages: ['eng'] } as const
  const read = (workspace: string, filename: string) =>
    reading.forWorkspace(workspace).read({ ...file, languages: ['eng'], filename }, signal)
  const first = await read('one', 'a.png')
  await reading.close()
  // Nothing can be read any more, so the answer was kept.
  const second = await read('one', 'b.png')
  assert.deepEqual(
    second.elements.map(({ text, metadata }) => [text, metadata.filename]),
    first.elements.map(({ text }) => [text, 'b.png']),
  )
  assert.notEqual(second.elements[0]!.element_id, first.elements[0]!.element_id)
  assert.deepEqual(await read('one', 'a.png'), first)
  await assert.rejects(read('two', 'a.png'), { code: 'service_closing' })
})
