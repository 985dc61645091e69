import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PPT } from './ppt-records.ts'
import { textsOf } from './ppt-text.ts'

const [TITLE, BODY] = [0, 1]

test('it counts a text of an outline that is empty, because slides refer to texts by number', () => {
  const bytes = Buffer.concat([
    kind(TITLE!),
    kind(BODY!),
    record(PPT.TEXT, Buffer.from('Rye\rOats', 'utf16le')),
  ])
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  assert.deepEqual(textsOf({ data }), [
    { kind: 'title', paragraphs: [] },
    {
      kind: 'body',
      paragraphs: [
        { text: 'Rye', bullet: true },
        { text: 'Oats', bullet: true },
      ],
    },
  ])
})

function kind(value: number): Buffer {
  return record(PPT.TEXT_KIND, Buffer.from([value, 0, 0, 0]))
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16LE(type, 2)
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data])
}
