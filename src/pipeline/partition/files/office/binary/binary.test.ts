import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { compoundFile } from '../../../../../../test/fixtures/compound-file.ts'
import { AppError } from '../../../../../errors.ts'
import { openCompoundFile } from '../../../../../filetype/compound-file.ts'
import { detectFiletype } from '../../../../../filetype/filetype.ts'
import { fileReaderOf } from '../../formats.ts'

const fixtures = join(import.meta.dirname, '../../../../../../test/fixtures/files')
const fixture = (name: string) => readFile(join(fixtures, name))

/** Detects the type and reads the file as the reader process does. */
async function read(bytes: Uint8Array, filename: string) {
  const filetype = await detectFiletype(bytes, filename, true)
  const file = { bytes, filename, filetype, url: '', strategy: 'auto' as const, languages: [] }
  const reader = await fileReaderOf(file)
  return (await reader(file, { progress: () => {} })).blocks
}

/** The fixture's streams after a change. */
async function changed(name: string, stream: string, change: (bytes: Buffer) => Buffer) {
  const file = openCompoundFile(await fixture(name))!
  const names = [
    'WordDocument',
    '1Table',
    '0Table',
    'Data',
    'Workbook',
    'PowerPoint Document',
    'Current User',
  ]
  const streams = names.flatMap((each): [string, Uint8Array][] => {
    const bytes = file.stream(each)
    return bytes ? [[each, each === stream ? change(Buffer.from(bytes)) : bytes]] : []
  })
  return compoundFile(streams)
}
const refused = (bytes: Uint8Array, name: string, message: RegExp) =>
  assert.rejects(read(bytes, name), (error) => {
    assert.ok(error instanceof AppError && error.code === 'document_unsupported', String(error))
    assert.match(error.message, message)
    return true
  })

describe('a Word document of 1997 to 2003', () => {
  test('it keeps numbers of lists, links, merged cells, text boxes and notes', async () => {
    const blocks = await read(await fixture('minutes.doc'), 'minutes.doc')
    assert.deepEqual(
      blocks.map(({ type, depth, text }) => [type, depth ?? 0, text]),
      [
        ['Title', 1, 'Minutes of the mill council'],
        [
          'NarrativeText',
          0,
          'The council met at Köln – “upstairs” – with Олег and 日本 🦊[1] and drank tea.',
        ],
        ['NarrativeText', 0, 'The keeper empties the race every day, before noon. See the rules.'],
        ['Title', 2, 'Steps'],
        ['ListItem', 1, '1. Close the sluice'],
        ['ListItem', 2, 'a. Turn the wheel'],
        ['ListItem', 2, 'b. Lock it'],
        ['ListItem', 1, '2. Ring the bell'],
        ['NarrativeText', 0, 'Nobody leaves before this is done.'],
        ['ListItem', 1, 'Bring boots'],
        ['Table', 0, 'Grain Price\nRye old 3 pence\nnew 4'],
        ['NarrativeText', 0, 'The end came soon.'],
        ['NarrativeText', 0, 'Words in a box.'],
        ['ListItem', 1, '1. The miller was late.'],
      ],
    )
    assert.equal(blocks[2]?.links[0]?.url, 'https://mill.example.com/rules?a=1&b=2')
    assert.match(
      blocks[10]?.metadata?.text_as_html ?? '',
      /<th colspan="2">Price<\/th>.*<td rowspan="2">Rye<\/td>/,
    )
  })

  test('it leaves out hidden and deleted text', async () => {
    const text = (await read(await fixture('minutes.doc'), 'a.doc')).map((block) => block.text).join('\n')
    assert.doesNotMatch(text, /4711|bucket/)
  })
})

describe('a workbook of Excel 5 to 2003', () => {
  test('it leaves out hidden sheets', async () => {
    const hidden = await changed('stock.xls', 'Workbook', (bytes) => {
      bytes[find(bytes, 0x85) + 8] = 1
      return bytes
    })
    const blocks = await read(hidden, 'stock.xls')
    assert.deepEqual(
      blocks.map(({ text, metadata }) => [text.split('\n')[0], metadata?.page_number, metadata?.page_name]),
      [
        ['Stones', 1, 'Stones'],
        ['Stone Sharp', 1, 'Stones'],
      ],
    )
  })

  test('it reads texts of Excel 5 in their code page', async () => {
    const blocks = await read(compoundFile([['Book', excel5()]]), 'old.xls')
    assert.equal(blocks[1]?.text, 'Мука 1.25 TRUE\n2026-03-02 12:00 #N/A')
  })

  test('it reads a text that continues in another record', async () => {
    const [first, second] = ['Long '.repeat(10), 'Länge 日本']
    const head = Buffer.alloc(11)
    head.writeUInt32LE(1, 0)
    head.writeUInt32LE(1, 4)
    head.writeUInt16LE(first.length + second.length, 8)
    const texts = [
      record(0xfc, Buffer.concat([head, Buffer.from(first, 'latin1')])),
      record(0x3c, Buffer.concat([Buffer.from([1]), Buffer.from(second, 'utf16le')])),
    ]
    const cell = record(0xfd, numbers([0, 0, 0, 0, 0]))
    const blocks = await read(compoundFile([['Workbook', workbook(0x600, texts, [cell])]]), 'a.xls')
    assert.equal(blocks[1]?.text, first + second)
  })
})

describe('a presentation of PowerPoint 97 to 2003', () => {
  test('it leaves out hidden slides but counts them as pages', async () => {
    const hidden = await changed('talk.ppt', 'PowerPoint Document', (bytes) => {
      const show = bytes.indexOf(Buffer.from([0xf9, 0x03, 0x10, 0, 0, 0]))
      assert.ok(show > 0)
      bytes[show + 6 + 10]! |= 4
      return bytes
    })
    const blocks = await read(hidden, 'talk.ppt')
    assert.deepEqual(
      blocks.map(({ text, metadata }) => [text.split('\n')[0], metadata?.page_number]),
      [
        ['What it costs', 2],
        ['Stone Price', 2],
      ],
    )
  })
})

describe('a file that is not read', () => {
  test('it has the reason that it is protected by a password', async () => {
    const password = /it is protected by a password/
    const word = await changed('handbook.doc', 'WordDocument', (bytes) => {
      bytes[11]! |= 1
      return bytes
    })
    await refused(word, 'a.doc', password)
    await refused(
      compoundFile([['Workbook', workbook(0x600, [record(0x2f, Buffer.alloc(6))], [])]]),
      'a.xls',
      password,
    )
    const slides = await changed('talk.ppt', 'Current User', (bytes) => {
      bytes.writeUInt32LE(0xf3d1c4df, 12)
      return bytes
    })
    await refused(slides, 'a.ppt', password)
    const newer = compoundFile([
      ['EncryptionInfo', Buffer.alloc(100)],
      ['EncryptedPackage', Buffer.alloc(100)],
    ])
    await refused(newer, 'a.docx', password)
  })

  test('it has the reason that its version is too old', async () => {
    const word = await changed('handbook.doc', 'WordDocument', (bytes) => {
      bytes.writeUInt16LE(104, 2)
      return bytes
    })
    await refused(word, 'a.doc', /files of Word 95 or older/)
    await refused(compoundFile([['Book', workbook(0x400, [], [])]]), 'a.xls', /files of Excel 4 or older/)
    await refused(compoundFile([['PP40', Buffer.alloc(100)]]), 'a.ppt', /files of PowerPoint 95 or older/)
  })
})

function record(type: number, data: Buffer): Buffer {
  return Buffer.concat([numbers([type, data.length]), data])
}

/** As 16-bit numbers. */
function numbers(values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [at, value] of values.entries()) bytes.writeUInt16LE(value, at * 2)
  return bytes
}

/** A workbook with one sheet called "S". */
function workbook(version: number, globals: Buffer[], cells: Buffer[]): Buffer {
  const start = record(0x809, numbers([version, 5, 0, 0]))
  const name = version === 0x600 ? [1, 0, 0x53] : [1, 0x53]
  const sheet = record(0x85, Buffer.from([0, 0, 0, 0, 0, 0, ...name]))
  const end = record(0x0a, Buffer.alloc(0))
  sheet.writeUInt32LE(start.length + Buffer.concat(globals).length + sheet.length + end.length, 4)
  return Buffer.concat([
    start,
    ...globals,
    sheet,
    end,
    record(0x809, numbers([version, 0x10, 0, 0])),
    ...cells,
    end,
  ])
}

/** Code page 1251, a date format, and cells of each kind. */
function excel5(): Buffer {
  const double = (value: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(value)
    return bytes
  }
  const globals = [
    record(0x42, numbers([1251])),
    record(0x41e, Buffer.from([164, 0, 10, ...Buffer.from('DD.MM.YYYY')])),
    record(0xe0, numbers([0, 0])),
    record(0xe0, numbers([0, 164])),
  ]
  const flour = Buffer.from([0xcc, 0xf3, 0xea, 0xe0])
  const cells = [
    record(0x204, Buffer.concat([numbers([0, 0, 0, 4]), flour])),
    record(
      0x27e,
      Buffer.concat([numbers([0, 1, 0]), Buffer.from([((125 << 2) & 0xff) | 3, 125 >> 6, 0, 0])]),
    ),
    record(0x205, Buffer.concat([numbers([0, 2, 0]), Buffer.from([1, 0])])),
    record(0x203, Buffer.concat([numbers([1, 0, 1]), double(46083.5)])),
    record(0x205, Buffer.concat([numbers([1, 2, 0]), Buffer.from([0x2a, 1])])),
  ]
  return workbook(0x500, globals, cells)
}

function find(stream: Buffer, type: number): number {
  for (let at = 0; at < stream.length; at += 4 + stream.readUInt16LE(at + 2))
    if (stream.readUInt16LE(at) === type) return at
  throw new Error(`no record ${type}`)
}
