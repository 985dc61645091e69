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
