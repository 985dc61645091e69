import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { crc32, deflateRawSync } from 'node:zlib'
import { detectFiletype, HEAD_BYTES, imageType, isCertain } from './filetype.ts'

const OFFICE = 'application/vnd.openxmlformats-officedocument.'
const DOCX = `${OFFICE}wordprocessingml.document`
const typeOf = (content: string | Uint8Array, name = 'file') =>
  detectFiletype(typeof content === 'string' ? Buffer.from(content) : content, name, true)

describe('text', () => {
  test('it is plain text by default, and a name refines it', async () => {
    assert.equal(await typeOf('Minutes of the meeting\n'), 'text/plain')
    assert.equal(await typeOf('# Minutes\n', 'README.MD'), 'text/markdown')
    assert.equal(await typeOf('a,b\n1,2\n', 'sums.csv'), 'text/csv')
    assert.equal(await typeOf('a\tb\n', 'sums.tsv'), 'text/tab-separated-values')
    assert.equal(await typeOf('Title\n=====\n', 'index.rst'), 'text/x-rst')
    assert.equal(await typeOf('hello', 'letter.eml'), 'message/rfc822')
    assert.equal(await typeOf('', 'empty.docx'), 'text/plain')
    for (const name of ['constructor', '__proto__', 'a.pdf', 'a.docx', 'a.png', 'a.json', ''])
      assert.equal(await typeOf('Just words.', name), 'text/plain', name)
  })

  test('it is not detected as an image, a program or audio by its first letters', async () => {
    for (const words of [
      'BMW is a car',
      'MZ is two letters',
      'ID3 tags',
      'GIF89a it says',
      'MThd',
      'solid rock',
    ])
      assert.equal(await typeOf(words), 'text/plain', words)
  })

  test('it is read in UTF-8, UTF-16 and Western encodings, including cut characters', async () => {
    const german = 'Größe und Öffnung der Tür im Erdgeschoß'
    const utf16 = Buffer.from(german, 'utf16le')
    assert.equal(await typeOf(`\ufeff${german}`), 'text/plain')
    assert.equal(await typeOf(utf16), 'text/plain')
    assert.equal(await typeOf(Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])), 'text/plain')
    assert.equal(
      await typeOf(Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()])),
      'text/plain',
    )
    assert.equal(await typeOf(Buffer.from(german, 'latin1')), 'text/plain')
    for (const character of ['é', '漢', '🦔']) {
      const bytes = Buffer.from(`${'a'.repeat(50)}${character}`)
      for (let cut = 1; cut < Buffer.byteLength(character); cut++)
        assert.equal(
          await detectFiletype(bytes.subarray(0, bytes.length - cut), 'x', false),
          'text/plain',
          character,
        )
    }
  })

  test('it is binary with control characters or an unknown encoding', async () => {
    assert.equal(await typeOf(Buffer.from('words\0and more')), 'application/octet-stream')
    assert.equal(await typeOf(Buffer.from('words \u0002 and more')), 'application/octet-stream')
    const russian = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x20, 0xec, 0xe8, 0xf0])
    assert.equal(await typeOf(russian), 'application/octet-stream')
  })

  test('it is HTML if it begins as HTML, regardless of its name', async () => {
    for (const start of [
      '<!DOCTYPE html><p>',
      ' \n<html lang="en">',
      '<!-- note --><body>',
      '<p>one',
      '\ufeff<h1>x</h1>',
    ])
      assert.equal(await typeOf(start, 'notes.txt'), 'text/html', start)
    assert.equal(await typeOf('<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x"><html>'), 'text/html')
    assert.equal(await typeOf('<html><body>', 'notes.md'), 'text/html')
    for (const tag of ['div align="center"', 'svg xmlns="http://www.w3.org/2000/svg"', 'tt'])
      assert.equal(await typeOf(`<${tag}>logo\n\n# Tool`, 'README.md'), 'text/markdown', tag)
    assert.equal(await typeOf('<pointer> is what C calls it'), 'text/plain')
    const japanese = Buffer.concat([
      Buffer.from('<html><meta charset=shift_jis>'),
      Buffer.from([0x93, 0xfa, 0x81, 0x41]),
    ])
    assert.equal(await typeOf(japanese), 'text/html')
  })

  test('it is XML, JSON or an email by its content', async () => {
    assert.equal(await typeOf('<?xml version="1.0"?>\n<!-- x -->\n<project/>', 'pom.txt'), 'application/xml')
    assert.equal(await typeOf('<project xmlns="urn:x">…</project>'), 'application/xml')
    assert.equal(await typeOf('{"a": [1, 2]}', 'a.txt'), 'application/json')
    assert.equal(await typeOf(`[{"a": "${'x'.repeat(1_100_000)}"}]`), 'application/json')
    assert.equal(await typeOf('[1] is a footnote'), 'text/plain')
    assert.equal(await typeOf('{"a": 1}\n{"a": 2}\n'), 'text/plain')
    assert.equal(await detectFiletype(Buffer.from('{"a": [1, 2'), 'a', false), 'application/json')
    const letter = 'From: ann@example.com\r\nTo: ben@example.com\r\nSubject: Hello\r\n there\r\n\r\nDear Ben'
    assert.equal(await typeOf(letter, 'note.txt'), 'message/rfc822')
    assert.equal(await typeOf('From: Ann\nTo: Ben\n\nI owe you'), 'text/plain')
    assert.equal(await typeOf('From: Ann\nand so on\nTo: Ben\nSubject: x\n\n'), 'text/plain')
  })

  test('it is a drawing or captions by its first lines', async () => {
    assert.equal(await typeOf('<mxfile host="x"><diagram/></mxfile>'), 'application/vnd.jgraph.mxfile')
    assert.equal(
      await typeOf('<mxGraphModel dx="1"></mxGraphModel>', 'a.txt'),
      'application/vnd.jgraph.mxfile',
    )
    assert.equal(await typeOf('{"type": "excalidraw", "elements": []}'), 'application/vnd.excalidraw+json')
    assert.equal(await typeOf('{"contentType":"application/gliffy+json"}'), 'application/gliffy+json')
    assert.equal(await typeOf('{"type": "other"}', 'a.excalidraw'), 'application/vnd.excalidraw+json')
    assert.equal(await typeOf('WEBVTT\n\n00:00.000 --> 00:01.000\nHi'), 'text/vtt')
    assert.equal(await typeOf('1\r\n00:00:00,000 --> 00:00:01,000\r\nHi'), 'application/x-subrip')
    assert.equal(await typeOf('0:00:00.000,0:00:01.000\nHi'), 'text/x-sbv')
    assert.equal(await typeOf('<tt xmlns="http://www.w3.org/ns/ttml"/>'), 'application/ttml+xml')
    assert.equal(await typeOf('@startuml\nA -> B'), 'text/x-plantuml')
    assert.equal(await typeOf('graph TD\nA --> B', 'a.mmd'), 'text/vnd.mermaid')
    assert.equal(await typeOf('# Notes', 'a.mmd'), 'text/markdown')
    assert.equal(await typeOf('graph TD', 'a.txt'), 'text/plain')
    for (const words of [
      ...['{"type": "drawing"}', '00:01 --> later', '12:30 lunch', '10:22:33.123 --> request 7'],
      ...['@startup team, the weir is open.', '<tt>weir</tt> opens the gate.'],
    ])
      assert.match(await typeOf(words), /^(?:text\/plain|application\/json)$/, words)
  })

  test('it is a text-based format by its signature', async () => {
    assert.equal(await typeOf('%PDF-1.4\n1 0 obj', 'a.txt'), 'application/pdf')
    assert.equal(await typeOf('{\\rtf1 Hello}', 'a.md'), 'application/rtf')
    assert.equal(await typeOf(Buffer.from('{\\rtf1 K\xf6ln}', 'latin1')), 'application/rtf')
    assert.equal(await typeOf('BEGIN:VCALENDAR\nEND:VCALENDAR'), 'text/calendar')
  })
})

describe('images', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )

  test('they are detected by their bytes, never by their name', async () => {
    const ico = Buffer.from('00000100010010100000010020006804000016000000', 'hex')
    const webp = Buffer.concat([Buffer.from('RIFF\x1a\0\0\0WEBPVP8L'), Buffer.alloc(20)])
    const avif = Buffer.concat([Buffer.from('\0\0\0\x1cftypavif\0\0\0\0avifmif1'), Buffer.alloc(8)])
    const bmp = Buffer.concat([Buffer.from('BM'), Buffer.alloc(52)])
    const tiff = Buffer.from('49492a0008000000000000000000', 'hex')
    const known: [Uint8Array, string][] = [
      [png, 'image/png'],
      [Buffer.from('ffd8ffe000104a46494600010100', 'hex'), 'image/jpeg'],
      [Buffer.from('4749463839610100010080000000', 'hex'), 'image/gif'],
      [webp, 'image/webp'],
      [avif, 'image/avif'],
      [bmp, 'image/bmp'],
      [tiff, 'image/tiff'],
      // Its directory is beyond the first bytes.
      [Buffer.concat([Buffer.from('49492a00902e0100', 'hex'), Buffer.alloc(90)]), 'image/tiff'],
      [ico, 'image/x-icon'],
    ]
    for (const [bytes, type] of known) {
      assert.equal(await imageType(bytes), type)
      assert.equal(await typeOf(bytes, 'notes.md'), type)
    }
  })

  test('SVG files are images too', async () => {
    for (const svg of [
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      '<?xml version="1.0"?>\n<!-- Made by hand -->\n<!DOCTYPE svg PUBLIC "x" "y" [<!ENTITY a "b">]>\n<svg width="1">',
    ])
      assert.equal(await imageType(Buffer.from(svg)), 'image/svg+xml', svg)
  })

  test('nothing else is an image', async () => {
    for (const bytes of [
      Buffer.from('not a picture'),
      Buffer.from('%PDF-1.7\n'),
      Buffer.alloc(0),
      Buffer.alloc(64),
    ])
      assert.equal(await imageType(bytes), null)
  })
})

describe('packages', () => {
  const types =
    '<Types><Override PartName="/word/document.xml" ' +
    `ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
  // Data that deflate cannot compress below the head of a file.
  const noise = Buffer.concat(
    Array.from({ length: 300 }, (_, i) => createHash('sha256').update(String(i)).digest()),
  )

  test('a document that begins with its content types is detected from its first bytes', async () => {
    const docx = zip([
      ['[Content_Types].xml', types],
      ['word/document.xml', noise],
    ])
    assert.equal(await detectFiletype(docx.subarray(0, HEAD_BYTES), 'x.bin', false), DOCX)
    assert.equal(await typeOf(docx), DOCX)
  })

  test('a document that begins with another part is a zip until all of it is read', async () => {
    const docx = zip([
      ['docProps/thumbnail.jpeg', noise],
      ['word/document.xml', '<w/>'],
      ['[Content_Types].xml', types],
    ])
    const head = await detectFiletype(docx.subarray(0, HEAD_BYTES), 'x.docx', false)
    assert.equal(head, 'application/zip')
    assert.equal(isCertain(head), false)
    assert.equal(await typeOf(docx), DOCX)
  })

  test('a document with unusual content types is detected by its parts', async () => {
    const strange = zip([
      ['_rels/.rels', noise],
      ['xl/workbook.xml', '<x/>'],
      ['[Content_Types].xml', '<Types/>'],
    ])
    assert.equal(await typeOf(strange), `${OFFICE}spreadsheetml.sheet`)
  })

  test('OpenDocument files are detected from their first bytes, and other zips stay zips', async () => {
    const odt = zip([
      ['mimetype', 'application/vnd.oasis.opendocument.text'],
      ['content.xml', noise],
    ])
    assert.equal(
      await detectFiletype(odt.subarray(0, HEAD_BYTES), 'x', false),
      'application/vnd.oasis.opendocument.text',
    )
    assert.equal(
      await typeOf(
        zip([
          ['a.txt', 'hello'],
          ['word/document.xml', 'no'],
        ]),
      ),
      'application/zip',
    )
  })

  test('it detects the type of a broken package without an error', async () => {
    const docx = zip([
      ['a', noise],
      ['[Content_Types].xml', types],
    ])
    for (let at = 0; at < docx.length; at += 97) {
      const broken = Buffer.from(docx)
      broken.fill(0xff, at, at + 40)
      assert.match(await typeOf(broken), /^application\//)
      assert.match(await typeOf(docx.subarray(0, at)), /^(?:application|text)\//)
    }
  })

  test('a PDF may begin after other bytes, and its type is certain', async () => {
    assert.equal(await typeOf(Buffer.concat([Buffer.alloc(100), Buffer.from('%PDF-1.7')])), 'application/pdf')
    assert.equal(isCertain('application/pdf'), true)
    assert.equal(isCertain('application/octet-stream'), true)
  })
})

/** A zip of deflated entries, as an office program writes it. */
function zip(entries: [string, string | Uint8Array][]): Buffer {
  const local: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of entries) {
    const data = typeof content === 'string' ? Buffer.from(content) : content
    const stored = name === 'mimetype' ? Buffer.from(data) : deflateRawSync(data)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(name === 'mimetype' ? 0 : 8, 4)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(stored.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(name.length, 22)
    const header = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name)])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, tail, Buffer.from(name)]))
    local.push(header, stored)
    offset += header.length + stored.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...local, listed, Buffer.from('PK\x05\x06'), end])
}
