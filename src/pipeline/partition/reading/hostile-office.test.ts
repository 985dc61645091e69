import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { compoundFile } from '../../../../test/fixtures/compound-file.ts'
import { tiffFile } from '../../../../test/fixtures/tiff.ts'
import { AppError } from '../../../errors.ts'
import { detectFiletype } from '../../../filetype/filetype.ts'
import { fileReaderOf } from '../files/formats.ts'
import { tiffToPdf } from '../files/ocr/tiff.ts'
import { createFileReading } from './file-reading.ts'

const fixture = (name: string) => readFile(join(import.meta.dirname, '../../../../test/fixtures/files', name))
const { signal } = new AbortController()
const TYPES = new Map([
  ['minutes.doc', 'application/msword'],
  ['stock.xls', 'application/vnd.ms-excel'],
  ['talk.ppt', 'application/vnd.ms-powerpoint'],
  ['fax.tif', 'image/tiff'],
])
const fileOf = (bytes: Uint8Array, filetype: string) => {
  return { bytes, filetype, filename: 'bad', url: '', strategy: 'auto' as const, languages: ['eng'] }
}

/** Reads a file in this process; anything but a reason fails the test. Pictures are prepared, not recognised. */
async function outcomeOf(bytes: Uint8Array, filetype: string): Promise<string> {
  const file = fileOf(bytes, filetype)
  try {
    if (filetype === 'image/tiff') return tiffToPdf(file, { progress: () => {} }).length > 0 ? 'read' : ''
    const { blocks } = await (await fileReaderOf(file))(file, { progress: () => {} })
    return blocks.length > 0 ? 'read' : 'empty'
  } catch (error) {
    assert.ok(error instanceof AppError, String((error as Error).stack))
    assert.match(error.message, /bad/)
    return error.code
  }
}

/** Numbers that look random and are the same in each run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('a damaged file of an old office program or a scanner', () => {
  for (const [name, filetype] of TYPES) {
    test(`it has a reason if it is cut (${name})`, async () => {
      const whole = await fixture(name)
      assert.equal(await outcomeOf(whole, filetype), 'read')
      for (let part = 0; part < 40; part++)
        await outcomeOf(whole.subarray(0, Math.floor((whole.length * part) / 40)), filetype)
      assert.equal(await outcomeOf(whole.subarray(0, 600), filetype), 'document_broken')
    })

    test(`it is read or has a reason if bytes changed (${name})`, async () => {
      const whole = await fixture(name)
      const random = createRandom(7)
      const started = performance.now()
      for (let round = 0; round < 150; round++) {
        const bytes = Buffer.from(whole)
        for (let change = 0; change <= round % 20; change++) bytes[random(bytes.length)] = random(256)
        await outcomeOf(bytes, filetype)
      }
      assert.ok(performance.now() - started < 60_000, 'it took a minute')
    })

    test(`it has a reason if its numbers are huge (${name})`, async () => {
      const whole = await fixture(name)
      for (let at = 24; at + 4 <= whole.length; at += Math.ceil(whole.length / 150)) {
        const bytes = Buffer.from(whole)
        bytes.fill(0xff, at, at + 3)
        await outcomeOf(bytes, filetype)
      }
    })
  }

  test('it ends if its chain of sectors or directory loops', async () => {
    for (const [name, filetype] of TYPES) {
      if (filetype === 'image/tiff') continue
      const bytes = await fixture(name)
      const table = 512 * (1 + bytes.readUInt32LE(76))
      for (let sector = 0; sector * 4 < 512; sector++) bytes.writeUInt32LE(sector, table + sector * 4)
      await outcomeOf(bytes, filetype)
      const directory = 512 * (1 + bytes.readUInt32LE(48))
      for (let entry = 0; entry < 4; entry++) bytes.writeUInt32LE(1, directory + entry * 128 + 68)
      await outcomeOf(bytes, filetype)
      await detectFiletype(bytes, name, true)
    }
    const page = tiffFile([{ tags: [], data: Buffer.alloc(2) }])
    page.writeUInt32LE(page.readUInt32LE(4), page.length - 4)
    assert.equal(await outcomeOf(page, 'image/tiff'), 'document_broken')
  })

  test('it is refused if it declares too much', async () => {
    const size = (width: number, height: number): [number, number][] => [
      [256, width],
      [257, height],
    ]
    const picture = tiffFile([{ tags: size(60_000, 60_000), data: Buffer.alloc(8) }])
    assert.equal(await outcomeOf(picture, 'image/tiff'), 'document_too_large')
    const cells = Array.from({ length: 3000 }, (_, row) => numbers([0x203, 14, row, 255, 0, 0, 0, 0, 0x4000]))
    const sheet = Buffer.concat([numbers([0x809, 8, 0x600, 0x10, 0, 0]), ...cells, numbers([0x0a, 0])])
    const names = Buffer.from([0x85, 0, 9, 0, 25, 0, 0, 0, 0, 0, 1, 0, 0x53])
    const globals = Buffer.concat([numbers([0x809, 8, 0x600, 5, 0, 0]), names])
    const book = Buffer.concat([globals, sheet])
    assert.equal(
      await outcomeOf(compoundFile([['Workbook', book]]), 'application/vnd.ms-excel'),
      'document_too_large',
    )
  })

  test('it is refused if sheets or slides share their content', async () => {
    for (const [count, outcomes] of [
      [1, ['read', 'empty']],
      [1000, ['document_broken', 'document_broken']],
    ] as const)
      assert.deepEqual(
        [
          await outcomeOf(workbookOf(count), 'application/vnd.ms-excel'),
          await outcomeOf(showOf(count), 'application/vnd.ms-powerpoint'),
        ],
        outcomes,
      )
  })

  test('it needs little memory for many pages of a scan', () => {
    const side = 3000
    const tags: [number, number][] = Object.entries({
      256: side,
      257: side,
      258: 8,
      259: 8,
      262: 1,
      278: side,
    }).map(([tag, value]) => [Number(tag), value])
    const bytes = tiffFile(Array(30).fill({ tags, data: deflateSync(Buffer.alloc(side * side, 255)) }))
    let pages = 0
    const pdf = tiffToPdf({ bytes, filename: 'scan.tif' }, { progress: () => pages++ })
    assert.ok(pdf.length < 5_000_000, `${pdf.length} bytes`)
    assert.equal(pages, 30)
  })

  test('it has a reason in its process, and the next file is read', async () => {
    const files = createFileReading({ readers: 1 })
    after(() => files.close())
    for (const [name, filetype] of TYPES) {
      const bytes = (await fixture(name)).subarray(0, 600)
      await assert.rejects(files.read(fileOf(bytes, filetype), signal), { code: 'document_broken' }, name)
    }
    const { elements } = await files.read(fileOf(await fixture('stock.xls'), TYPES.get('stock.xls')!), signal)
    assert.equal(elements.length, 4)
  })
})

/** One sheet under many names. */
function workbookOf(names: number): Uint8Array {
  const sheet = Buffer.concat([numbers([0x809, 8, 0x600, 0x10, 0, 0]), numbers([0x0a, 0])])
  const head = numbers([0x809, 8, 0x600, 5, 0, 0])
  const name = Buffer.from([0x85, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0x53])
  name.writeUInt32LE(head.length + name.length * names + 4, 4)
  const book = Buffer.concat([head, ...Array(names).fill(name), numbers([0x0a, 0]), sheet])
  return compoundFile([['Workbook', book]])
}

/** One slide that is shown many times. */
function showOf(times: number): Uint8Array {
  const record = (type: number, data: Buffer) =>
    Buffer.concat([numbers([15, type, data.length, data.length >>> 16]), data])
  const longs = (...values: number[]) => numbers(values.flatMap((value) => [value, value >>> 16]))
  const slide = record(1006, record(9999, Buffer.alloc(50_000)))
  const refs = Array(times).fill(record(1011, longs(1, 0, 0, 0)))
  const document = record(1000, record(4080, Buffer.concat(refs)))
  const addresses = record(6002, longs((2 << 20) | 1, 0, slide.length))
  const edit = record(4085, longs(0, 0, 0, slide.length + document.length, 2))
  const user = longs(0, 0, 0, 0, slide.length + document.length + addresses.length)
  return compoundFile([
    ['PowerPoint Document', Buffer.concat([slide, document, addresses, edit])],
    ['Current User', user],
  ])
}

/** As 16-bit numbers. */
function numbers(values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [at, value] of values.entries()) bytes.writeUInt16LE(value & 0xffff, at * 2)
  return bytes
}
