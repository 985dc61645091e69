import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { tarOf } from '../../../../../test/world/tar.ts'
import type { Element } from '../../../../document.ts'
import { detectFiletype } from '../../../../filetype/filetype.ts'
import { chunkElements } from '../../../chunk/chunk-elements.ts'
import { packArchive } from '../archive.ts'
import { fileElements } from '../file-elements.ts'

const zipOf = (files: Record<string, string | Uint8Array>) =>
  packArchive(new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)])))

async function read(bytes: Uint8Array, filename = 'bundle.zip') {
  const filetype = await detectFiletype(bytes, filename, true)
  const file = { bytes, filetype, filename, url: 'https://wiki.test/bundle', languages: ['eng'] }
  return fileElements({ ...file, strategy: 'auto' }, { progress() {} })
}

const about = ({ text, metadata }: Element) => [metadata.path_in_archive, metadata.filetype, text]
const paths = (elements: Element[]) => elements.map(({ metadata }) => metadata.path_in_archive)

describe('an archive', () => {
  const files = {
    'readme.txt': 'The weir is open.',
    'plans/2026/notes.md': '# Plans\n\nRepair the sluice.',
    'data/stock.csv': 'name,weight\neel,4',
    'page.html': '<h1>Mill</h1><p>It turns. <a href="other.html">More</a></p>',
  }

  const formats: [string, Buffer][] = [
    ['bundle.zip', zipOf(files)],
    ['bundle.tar', tarOf(Object.entries(files).map(([name, content]) => ({ name, content })))],
    ['bundle.tgz', gzipSync(tarOf(Object.entries(files).map(([name, content]) => ({ name, content }))))],
  ]
  for (const [name, bytes] of formats)
    test(`it has the elements of every file with its own name, type and path: ${name}`, async () => {
      const { elements, warnings } = await read(bytes, name)
      assert.deepEqual(elements.map(about), [
        ['readme.txt', 'text/plain', 'The weir is open.'],
        ['plans/2026/notes.md', 'text/markdown', 'Plans'],
        ['plans/2026/notes.md', 'text/markdown', 'Repair the sluice.'],
        ['data/stock.csv', 'text/csv', 'name weight\neel 4'],
        ['page.html', 'text/html', 'Mill'],
        ['page.html', 'text/html', 'It turns. More'],
      ])
      assert.deepEqual(warnings, [])
      const [readme, plans, sluice] = elements
      assert.deepEqual(
        [readme?.metadata.filename, readme?.metadata.file_directory],
        ['readme.txt', undefined],
      )
      assert.deepEqual([plans?.metadata.filename, plans?.metadata.file_directory], ['notes.md', 'plans/2026'])
      assert.equal(sluice?.metadata.parent_id, plans?.element_id)
      assert.equal(new Set(elements.map(({ element_id: id }) => id)).size, elements.length)
      assert.deepEqual(elements.at(-1)?.metadata.link_urls, ['other.html'])
    })

  test('it may be one compressed file', async () => {
    const { elements } = await read(gzipSync('The weir is open.'), 'log.txt.gz')
    assert.deepEqual(elements.map(about), [['log.txt', 'text/plain', 'The weir is open.']])
  })

  test('it gives equal files in two folders different ids, which other files do not change', async () => {
    const both = { 'a/x.txt': 'Same.', 'b/x.txt': 'Same.' }
    const ids = async (names: Record<string, string>) =>
      (await read(zipOf(names))).elements.map(({ element_id: id }) => id)
    const [first, second] = await ids(both)
    assert.notEqual(first, second)
    assert.equal((await ids({ 'new.txt': 'New.', ...both }))[1], first)
  })

  test('it is never joined into a chunk across files', async () => {
    const { elements } = await read(zipOf({ 'a.txt': 'One.', 'b.txt': 'Two.', 'c/b.txt': 'Three.' }))
    const common = { max_characters: 1000, new_after_n_chars: 800, overlap: 50, overlap_all: true }
    const base = { ...common, include_orig_elements: false }
    const title = { combine_text_under_n_chars: 300, multipage_sections: true }
    for (const settings of [
      { subtype: 'chunk_by_title', ...base, ...title },
      { subtype: 'chunk_by_character', ...base },
      { subtype: 'chunk_by_page', ...base },
      { subtype: 'chunk_by_similarity', ...base, similarity_threshold: 0.5 },
    ] as const) {
      const chunks = chunkElements(elements, { settings, starts: [] })
      assert.deepEqual(
        chunks.map(({ text, metadata }) => [text, metadata.filename, metadata.path_in_archive]),
        [
          ['One.', 'a.txt', 'a.txt'],
          ['Two.', 'b.txt', 'b.txt'],
          ['Three.', 'b.txt', 'c/b.txt'],
        ],
        settings.subtype,
      )
      assert.equal(chunks[2]?.metadata.file_directory, 'c')
    }
  })

  test('it is read to a depth of three', async () => {
    let bytes: Uint8Array = zipOf({ 'deep.txt': 'Too deep.' })
    for (const name of ['three', 'two', 'one'])
      bytes = zipOf({ [`${name}.txt`]: `At ${name}.`, [`${name}.zip`]: bytes })
    const { elements, warnings } = await read(bytes)
    assert.deepEqual(paths(elements), ['one.txt', 'one.zip/two.txt', 'one.zip/two.zip/three.txt'])
    assert.deepEqual(
      warnings.map(({ code, count, message }) => [code, count, message]),
      [
        [
          'archive_files_left',
          1,
          'bundle.zip: one.zip/two.zip/three.zip: reading three.zip: archives in archives are read to a depth of 3',
        ],
      ],
    )
  })

  test('it names the files that cannot be read, and keeps the others', async () => {
    const bytes = zipOf({
      'good.txt': 'The weir is open.',
      'film.mp4': Buffer.from('AAAAGGZ0eXBpc29tAAACAGlzb21tcDQyAAAACGZyZWU=', 'base64'),
      'old.7z': Buffer.from('377abcaf271c00040000000000000000', 'hex'),
      'broken.pdf': '%PDF-1.7\nnothing',
      'broken.tar': tarOf([{ name: 'a.txt', content: 'x'.repeat(600) }]).subarray(0, 700),
    })
    const { elements, warnings } = await read(bytes)
    assert.deepEqual(paths(elements), ['good.txt'])
    assert.deepEqual(
      warnings.map(({ message }) => message),
      [
        'bundle.zip: film.mp4: reading film.mp4: files of type video/mp4 are not supported',
        'bundle.zip: old.7z: reading old.7z: files of type application/x-7z-compressed are not supported',
        'bundle.zip: broken.pdf: reading broken.pdf: not a readable PDF',
        'bundle.zip: broken.tar: reading broken.tar: it is cut off',
      ],
    )
  })

  test('it is skipped if no file can be read', async () => {
    const film = Buffer.from('AAAAGGZ0eXBpc29tAAACAGlzb21tcDQyAAAACGZyZWU=', 'base64')
    for (const [bytes, message] of [
      [zipOf({ 'film.mp4': film }), /none of its files has text that can be read\. One of 1: .*video\/mp4/],
      [zipOf({}), /it contains no files/],
      [zipOf({ 'a/': '', '__MACOSX/a.txt': 'x', 'b/.DS_Store': 'x', 'empty.txt': '' }), /contains no files/],
    ] as const)
      await assert.rejects(read(bytes), { code: 'document_unsupported', message })
  })

  test('it is skipped with a reason and what to do if no reader is maintained', async () => {
    for (const [name, start] of [
      ['a.7z', '377abcaf271c0004'],
      ['a.rar', '526172211a070100'],
      ['a.tar.bz2', '425a6839'],
      ['a.tar.xz', 'fd377a585a00'],
      ['a.zst', '28b52ffd'],
    ] as const)
      await assert.rejects(read(Buffer.from(start.padEnd(80, '0'), 'hex'), name), {
        code: 'document_unsupported',
        fix: 'Pack its files as ZIP or TAR, which are read',
      })
  })

  test('it is not unpacked if it is a package of another program', async () => {
    for (const part of [
      '[Content_Types].xml',
      'META-INF/MANIFEST.MF',
      'AndroidManifest.xml',
      'mill-1.0.dist-info/WHEEL',
      'Index/Document.iwa',
    ]) {
      const bytes = zipOf({ 'a.txt': 'The weir is open.', [part]: 'x' })
      assert.notEqual(await detectFiletype(bytes, 'a.zip', true), 'application/zip', part)
      await assert.rejects(read(bytes), { code: 'document_unsupported' })
    }
  })
})

describe('the names in an archive', () => {
  test('it shows paths without parents, drives, control and direction characters', async () => {
    const names = ['../../etc/passwd', '/abs/a.txt', 'C:\\docs\\b.txt', 'x\u0007\u202ey\n.txt', './c//d.txt']
    const bytes = zipOf(Object.fromEntries(names.map((name) => [name, `In ${names.indexOf(name)}.`])))
    assert.deepEqual(paths((await read(bytes)).elements), [
      'etc/passwd',
      'abs/a.txt',
      'docs/b.txt',
      'x y .txt',
      'c/d.txt',
    ])
  })

  test('it leaves out a file with a path that is too long', async () => {
    const bytes = zipOf({ [`${'x'.repeat(300)}/${'y'.repeat(300)}.txt`]: 'Long.', 'a.txt': 'Short.' })
    const { elements, warnings } = await read(bytes)
    assert.deepEqual(paths(elements), ['a.txt'])
    assert.match(warnings[0]?.message ?? '', /its path has more than 500 characters/)
  })

  test('it takes the last of two files with one path', async () => {
    const bytes = tarOf([
      { name: 'a.txt', content: 'Old.' },
      { name: 'b.txt', content: 'Other.' },
      { name: './a.txt', content: 'New.' },
    ])
    assert.deepEqual(
      (await read(bytes)).elements.map(({ text }) => text),
      ['Other.', 'New.'],
    )
  })

  test('it reads names in code page 437, in UTF-8, and long ones of a tar', async () => {
    const bytes = zipOf({ 'M_hle.txt': 'Mill.' })
    const names = [bytes.indexOf('M_hle'), bytes.lastIndexOf('M_hle')]
    for (const at of names) bytes[at + 1] = 0x81
    // Without the flag of UTF-8.
    bytes.writeUInt16LE(0, 6)
    bytes.writeUInt16LE(0, bytes.lastIndexOf('PK\x01\x02') + 8)
    assert.deepEqual(paths((await read(bytes)).elements), ['Mühle.txt'])
    const long = `${'folder/'.repeat(20)}über.txt`
    const record = (text: string) => {
      const length = Buffer.byteLength(text) + 5
      return `${length} ${text}\n`
    }
    const tar = tarOf([
      { name: 'pax', type: 'x', content: record(`path=${long}`) },
      { name: 'short', content: 'By pax.' },
      { name: '././@LongLink', type: 'L', content: `gnu/${long}\0` },
      { name: 'short', content: 'By GNU.' },
      { name: 'name.txt', prefix: 'some/prefix', content: 'By prefix.' },
    ])
    assert.deepEqual(paths((await read(tar, 'a.tar')).elements), [
      long,
      `gnu/${long}`,
      'some/prefix/name.txt',
    ])
  })

  test('it follows no links and opens no devices', async () => {
    const tar = tarOf([
      { name: 'link', type: '2' },
      { name: 'hard', type: '1' },
      { name: 'device', type: '3' },
      { name: 'folder/', type: '5' },
      { name: 'a.txt', content: 'Text.' },
    ])
    const { elements, warnings } = await read(tar, 'a.tar')
    assert.deepEqual([paths(elements), warnings], [['a.txt'], []])
    const zip = zipOf({ link: '/etc/passwd', 'a.txt': 'Text.' })
    const entry = zip.indexOf('PK\x01\x02')
    zip.writeUInt8(3, entry + 5)
    zip.writeUInt16LE(0o120777, entry + 40)
    assert.deepEqual(paths((await read(zip)).elements), ['a.txt'])
  })
})

describe('a ZIP', () => {
  test('it is read with sizes in zip64 fields and after its data', async () => {
    assert.deepEqual((await read(zip64())).elements.map(about), [
      ['a.txt', 'text/plain', 'The weir is open.'],
    ])
  })

  test('it names encrypted and damaged files, and unknown compressions', async () => {
    const zip = zipOf({ 'a.txt': 'Fine.', 'locked.txt': 'Locked.', 'bad.txt': 'Damaged.', 'odd.txt': 'Odd.' })
    const entryOf = (name: string) => zip.lastIndexOf(name) - 46
    zip.writeUInt16LE(0x0801, entryOf('locked.txt') + 8)
    zip.writeUInt16LE(14, entryOf('odd.txt') + 10)
    zip[zip.indexOf('Damaged')] = 0
    const { elements, warnings } = await read(zip)
    assert.deepEqual(paths(elements), ['a.txt'])
    assert.deepEqual(
      warnings.map(({ message }) => message.replace(/^bundle\.zip: [a-z.]+: /, '')),
      [
        'reading locked.txt: it is protected by a password',
        'reading bad.txt: its content is damaged',
        'reading odd.txt: a part uses an unsupported compression',
      ],
    )
  })
})

/** As written to a pipe: sizes follow the data, and the directory has them in a zip64 field. */
function zip64(): Buffer {
  const content = Buffer.from('The weir is open.')
  const data = deflateRawSync(content)
  const name = Buffer.from('a.txt')
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50)
  local.writeUInt16LE(0x808, 6)
  local.writeUInt16LE(8, 8)
  local.writeUInt16LE(name.length, 26)
  const descriptor = Buffer.alloc(24)
  const extra = Buffer.alloc(28)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(24, 2)
  extra.writeBigUInt64LE(BigInt(content.length), 4)
  extra.writeBigUInt64LE(BigInt(data.length), 12)
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50)
  entry.writeUInt16LE(0x808, 8)
  entry.writeUInt16LE(8, 10)
  entry.writeUInt32LE(crc32(content), 16)
  for (const at of [20, 24, 42]) entry.writeUInt32LE(0xffffffff, at)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt16LE(extra.length, 30)
  const start = local.length + name.length + data.length + descriptor.length
  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(0x06064b50)
  end64.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50)
  locator.writeBigUInt64LE(BigInt(start + entry.length + name.length + extra.length), 8)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.fill(0xff, 8, 20)
  return Buffer.concat([local, name, data, descriptor, entry, name, extra, end64, locator, end])
}
