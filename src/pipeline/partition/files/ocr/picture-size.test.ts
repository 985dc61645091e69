import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCanvas } from '@napi-rs/canvas'
import { pictureSize } from './picture-size.ts'

const jpeg = (width: number, height: number) => createCanvas(width, height).encode('jpeg')

test('it finds the size of a JPEG behind padding and markers', async () => {
  const picture = await jpeg(300, 200)
  assert.deepEqual(pictureSize(picture), { width: 300, height: 200 })
  for (const between of ['ffffffffff', 'ffd0', 'ff01ffd7ffff']) {
    const padded = Buffer.concat([picture.subarray(0, 2), Buffer.from(between, 'hex'), picture.subarray(2)])
    assert.deepEqual(pictureSize(padded), { width: 300, height: 200 }, between)
  }
})
