import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { tarOf } from '../../../../test/world/tar.ts'
import { AppError } from '../../../errors.ts'
import { packArchive } from '../files/archive.ts'
import { fileElements } from '../files/file-elements.ts'
import type { FileToRead } from '../files/reading-file.ts'
import { createFileReading } from './file-reading.ts'

const { signal } = new AbortController()
const ZIP = 'application/zip'
const TAR = 'application/x-tar'
const GZIP = 'application/gzip'

const file = (bytes: Uint8Array, filetype: string): FileToRead => ({
  ...{ bytes, filetype, filename: 'bad', url: '', strategy: 'auto', languages: ['eng'] },
})
const zipOf = (files: Record<string, string | Uint8Array>) =>
  packArchive(new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)])))

describe('a hostile archive', () => {
  const files = createFileReading({ readers: 1, memoryMb: 500, pictureMb: 500 })
  after(() => files.close())
  const refused = (bytes: Uint8Array, filetype: string, message: RegExp) =>
    assert.rejects(files.read(file(bytes, filetype), signal), { code: 'document_too_large', message })

  test('it is refused if its directory declares too much data', async () => {
    const zeros = deflateRawSync(Buffer.alloc(90_000_000))
    const bomb = deflatedZip(Array.from({ length: 6 }, (_, at) => [`${at}.txt`, zeros, 90_000_000]))
    await refused(bomb, ZIP, /reading bad: it expands to more than \d+ MB/)
  })

  test('it is refused if it expands too far without a directory, or in an inner archive', async () => {
    const tar = tarOf(['a', 'b', 'c'].map((name) => ({ name, content: Buffer.alloc(30_000_000) })))
    await refused(gzipSync(tar), GZIP, /reading bad: it expands to more than 20 MB/)
    await refused(gzipSync(Buffer.alloc(90_000_000)), GZIP, /it expands to more than 20 MB/)
    const inner = deflatedZip([['a.txt', deflateRawSync(Buffer.alloc(30_000_000)), 30_000_000]])
    await refused(zipOf({ 'a.txt': 'Text.', 'inner.zip': inner }), ZIP, /it expands to more than 20 MB/)
  })

  test('it is refused if it has too many files, those of inner archives included', async () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`${at}.bin`, '\0']))
    await refused(
      zipOf({ 'a.zip': zipOf(many), 'b.zip': zipOf(many) }),
      ZIP,
      /reading bad: it has more than 1,000 files/,
    )
  })

  test('it fails if the size of a file in it is negative', async () => {
    const tar = tarOf([
      { name: 'a.txt', content: 'One.' },
      { name: 'gift', type: 'Z' },
      { name: 'b.txt', content: 'Two.' },
    ])
    const header = tar.subarray(1024, 1536)
    header.write('-7777777777\0', 124)
    header.fill(' ', 148, 156)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    await assert.rejects(files.read(file(tar, TAR), signal), {
      code: 'document_broken',
      message: 'reading bad: it is damaged or cut off',
    })
  })

  test('it fails if its files overlap', async () => {
    const data = deflateRawSync(Buffer.alloc(1_000_000))
    const zip = deflatedZip([
      ['a.txt', data, 1_000_000],
      ['b.txt', data, 1_000_000],
    ])
    // Both entries of the directory name the same data.
    zip.writeUInt32LE(0, zip.lastIndexOf('PK\x01\x02') + 42)
    await assert.rejects(files.read(file(zip, ZIP), signal), {
      code: 'document_broken',
      message: 'reading bad: its files overlap',
    })
  })

  for (const [name, bytes, filetype] of [
    ['a ZIP', zipOf({ 'a.txt': 'One. '.repeat(40), 'b/c.txt': 'Two. '.repeat(40) }), ZIP],
    [
      'a tar',
      tarOf([
        { name: 'a.txt', content: 'One.' },
        { name: 'b.txt', content: 'Two.' },
      ]),
      TAR,
    ],
    ['a tar.gz', gzipSync(tarOf([{ name: 'a.txt', content: 'One.' }])), GZIP],
  ] as const)
    test(`it fails with a reason, or is read in part, cut or damaged anywhere: ${name}`, async () => {
      const attempts: Buffer[] = []
      for (let at = 0; at < bytes.length; at += 64) {
        attempts.push(Buffer.from(bytes.subarray(0, at)))
        for (const change of [0xff, 0x01]) {
          const flipped = Buffer.from(bytes)
          flipped[at]! ^= change
          attempts.push(flipped)
        }
      }
      for (const attempt of attempts) {
        const outcome = await fileElements(file(attempt, filetype), { progress() {} }).catch((error) => error)
        if (!(outcome instanceof AppError)) assert.ok('elements' in outcome, String(outcome))
        else assert.match(outcome.code, /^(document_broken|document_unsupported|document_too_large)$/)
      }
    })
})

/** Entries of raw data with the size that they declare. */
function deflatedZip(entries: [name: string, data: Buffer, size: number][]): Buffer {
  const zip = packArchive(new Map(entries.map(([name, data]) => [name, data])))
  let at = 0
  let directory = zip.readUInt32LE(zip.length - 6)
  for (const [name, data, size] of entries) {
    for (const common of [at + 4, directory + 6]) {
      zip.writeUInt16LE(8, common + 4)
      zip.writeUInt32LE(crc32(Buffer.alloc(size)), common + 10)
      zip.writeUInt32LE(size, common + 18)
    }
    at += 30 + name.length + data.length
    directory += 46 + name.length
  }
  return zip
}
