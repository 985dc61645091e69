import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCanvas } from '@napi-rs/canvas'
import { endRecognition, recognise } from './ocr.ts'

test('it drops an engine that failed to start', async () => {
  const canvas = createCanvas(200, 200)
  await assert.rejects(recognise(canvas, { languages: ['zzz'], scale: 1 }), /OCR has no data for "zzz"/)
  await endRecognition()
  await assert.rejects(recognise(canvas, { languages: ['zzy'], scale: 1 }), /OCR has no data for "zzy"/)
})

test('it tells the confidence of words', async () => {
  const { canvas, context } = emptyCanvas()
  context.fillStyle = 'black'
  context.font = '40px sans-serif'
  context.fillText('The north gate', 40, 60)
  const { items } = await recognise(canvas, { languages: ['eng'], scale: 1 })
  assert.deepEqual(
    items.map(({ text }) => text),
    ['The', 'north', 'gate'],
  )
  assert.ok(items.every(({ confidence }) => confidence! > 0.8))
})

test('it leaves out uncertain lines, such as those of a pattern', async () => {
  const { canvas, context } = emptyCanvas()
  context.lineWidth = 3
  const next = randomNumbers(1)
  for (let curve = 0; curve < 120; curve++) {
    context.beginPath()
    context.arc(next() * 600, next() * 400, 4 + next() * 14, next() * 6, next() * 6)
    context.stroke()
  }
  const { items } = await recognise(canvas, { languages: ['eng'], scale: 1 })
  assert.deepEqual(items, [])
  await endRecognition()
})

function emptyCanvas() {
  const canvas = createCanvas(600, 400)
  const context = canvas.getContext('2d')
  context.fillStyle = 'white'
  context.fillRect(0, 0, 600, 400)
  return { canvas, context }
}

function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
