import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { AppError, type ErrorCode } from '../../../errors.ts'
import { detectFiletype } from '../../../filetype/filetype.ts'
import { packArchive } from '../files/archive.ts'
import { fileReaderOf } from '../files/formats.ts'
import type { FileToRead } from '../files/reading-file.ts'
import { createFileReading } from './file-reading.ts'

const { signal } = new AbortController()

async function toRead(content: string | Uint8Array, filename: string): Promise<FileToRead> {
  const bytes = Buffer.from(content)
  const filetype = await detectFiletype(bytes, filename, true)
  return { filename, filetype, bytes, url: '', strategy: 'fast', languages: [] }
}

/** In this process: after each failure, a new one would start. */
async function read(content: string | Uint8Array, filename: string): Promise<string[]> {
  const file = await toRead(content, filename)
  const reader = await fileReaderOf(file)
  return (await reader(file, { progress: () => {} })).blocks.map(({ text }) => text)
}
const refused = (content: string | Uint8Array, filename: string, [code, message]: [ErrorCode, RegExp]) =>
  assert.rejects(read(content, filename), (error) => {
    assert.ok(error instanceof AppError, String(error))
    assert.deepEqual([error.code, message.test(error.message)], [code, true], error.message)
    assert.equal(error.endsJob, false)
    return true
  })

const packed = (xml: string | Buffer) => deflateRawSync(xml, { level: 1 }).toString('base64')
const vertex = (id: string, parent: string) =>
  `<mxCell id="${id}" value="${id}" vertex="1" parent="${parent}"><mxGeometry/></mxCell>`
const drawio = (...cells: string[]) => `<mxGraphModel><root>${cells.join('')}</root></mxGraphModel>`
const visio = (page: string, master = '<MasterContents/>') =>
  packArchive(
    new Map(
      Object.entries({
        '[Content_Types].xml': '<Types/>',
        'visio/document.xml': '<VisioDocument/>',
        'visio/pages/pages.xml': '<Pages><Page ID="0" Name="P"><Rel r:id="r1"/></Page></Pages>',
        'visio/pages/_rels/pages.xml.rels':
          '<Relationships><Relationship Id="r1" Target="page1.xml"/></Relationships>',
        'visio/pages/page1.xml': page,
        'visio/masters/masters.xml': '<Masters><Master ID="4"><Rel r:id="r1"/></Master></Masters>',
        'visio/masters/_rels/masters.xml.rels':
          '<Relationships><Relationship Id="r1" Target="master1.xml"/></Relationships>',
        'visio/masters/master1.xml': master,
      }).map(([name, text]) => [name, Buffer.from(text)] as const),
    ),
  )

/** One small file of each kind. */
const SMALL: [string, string | Uint8Array][] = [
  [
    'a.drawio',
    `<mxfile><diagram name="P">${packed(encodeURIComponent(drawio(vertex('a', '1'), vertex('b', '1'))))}</diagram></mxfile>`,
  ],
  ['a.xml', drawio(vertex('a', '1'), vertex('b', '1'))],
  ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><title>Weir</title><text>North gate</text></svg>'],
  [
    'a.excalidraw',
    JSON.stringify({ type: 'excalidraw', elements: [{ id: 'a', type: 'text', text: 'Weir' }] }),
  ],
  [
    'a.gliffy',
    JSON.stringify({
      contentType: 'application/gliffy+json',
      stage: { objects: [{ graphic: { Text: { html: 'Weir' } } }] },
    }),
  ],
  ['a.mmd', 'flowchart TD\nA[Weir] --> B\n'],
  ['a.puml', '@startuml\nWeir -> Mill : water\n@enduml\n'],
  ['a.vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ida>The water is high.\n'],
  ['a.srt', '1\n00:00:00,000 --> 00:00:01,000\nThe water is high.\n'],
  [
    'a.ttml',
    '<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml"><body><p begin="1s">The water.</p></body></tt>',
  ],
  ['a.vsdx', visio('<PageContents><Shapes><Shape ID="1"><Text>Weir</Text></Shape></Shapes></PageContents>')],
]

const captionOf = (name: string) =>
  `0:00.0 --> 0:01.0\n${Array.from({ length: 100_000 }, (_, at) => `${name} ${at}\n`).join('')}`
/** With one id. */
const manyCells = (attributes: string) => `<mxCell id="x" ${attributes}/>`.repeat(100_000)
const manyLabels = () => [
  ...Array(50_000).fill({ id: 'x', type: 'rectangle' }),
  ...Array(50_000).fill({ id: 'y', type: 'text', text: 'Weir', containerId: 'x' }),
]

describe('a hostile drawing', () => {
  test('it is refused if its pages expand too far', async () => {
    const bomb = packed(Buffer.alloc(60_000_000, '<mxCell/>'))
    const whole = `<mxfile><diagram name="P">${bomb}</diagram></mxfile>`
    await refused(whole, 'a.drawio', ['document_too_large', /pages expand to more than 50 MB/])
    const half = packed(`<mxGraphModel><!--${'x'.repeat(30_000_000)}--></mxGraphModel>`)
    const twice = `<mxfile>${`<diagram>${half}</diagram>`.repeat(2)}</mxfile>`
    await refused(twice, 'a.drawio', ['document_too_large', /pages expand to more than 50 MB/])
    const nested = packed(`<mxfile><diagram>${packed(drawio(vertex('a', '1')))}</diagram></mxfile>`)
    assert.deepEqual(await read(`<mxfile><diagram name="P">${nested}</diagram></mxfile>`, 'a.drawio'), ['P'])
  })

  test('it leaves the reader within its memory, and the next file is read', async () => {
    const files = createFileReading({ readers: 1, memoryMb: 400 })
    after(() => files.close())
    const cells = packed(`<mxGraphModel>${'<mxCell/>'.repeat(1_000_000)}</mxGraphModel>`)
    const bomb = await toRead(`<mxfile><diagram>${cells}</diagram></mxfile>`, 'a.drawio')
    await assert.rejects(files.read(bomb, signal), {
      code: 'document_too_large',
      message: /500,000 elements/,
    })
    const next = await files.read(await toRead('WEBVTT\n\n0:00.0 --> 0:01.0\nWell.', 'a.vtt'), signal)
    assert.deepEqual(
      next.elements.map(({ text }) => text),
      ['Well.'],
    )
  })

  test('it is refused with a million shapes', async () => {
    const cells = `<mxfile><diagram>${packed(`<mxGraphModel>${'<mxCell/>'.repeat(1_000_000)}</mxGraphModel>`)}</diagram></mxfile>`
    const shapes = `<PageContents>${'<Shape ID="1"/>'.repeat(1_000_000)}</PageContents>`
    const elements = `{"type":"excalidraw","elements":[${Array(1_000_000).fill('{}').join(',')}]}`
    const objects = `{"contentType":"application/gliffy+json","stage":{"objects":[${Array(1_000_000).fill('{}').join(',')}]}}`
    const svg = `<svg xmlns="http://www.w3.org/2000/svg">${'<text>a</text>'.repeat(1_000_000)}</svg>`
    const flow = `flowchart TD\n${`${'A&'.repeat(90)}B-->${'C&'.repeat(90)}D\n`.repeat(100)}`
    const cues = `WEBVTT\n\n${'0:00.0 --> 0:01.0\n'.repeat(600_000)}`
    for (const [name, content] of [
      ...[['a.drawio', cells] as const, ['a.excalidraw', elements] as const, ['a.gliffy', objects] as const],
      ...[
        ['a.svg', svg] as const,
        ['a.vsdx', visio(shapes)] as const,
        ['a.mmd', flow] as const,
        ['a.vtt', cues] as const,
      ],
      ['a.puml', 'A->B\n'.repeat(600_000)] as const,
    ])
      await refused(content, name, ['document_too_large', /more than 500,000 elements/])
  })

  test('it keeps every shape of a loop', async () => {
    const loop = drawio(vertex('a', 'b'), vertex('b', 'a'), vertex('c', 'c'))
    assert.deepEqual((await read(loop, 'a.drawio')).sort(), ['a', 'b', 'c'])
    const hidden = drawio(
      '<mxCell id="x" parent="y" visible="0"/>',
      '<mxCell id="y" parent="x"/>',
      vertex('a', '1'),
    )
    assert.deepEqual(await read(hidden, 'a.drawio'), ['a'])
    const sketch = [
      { id: 'a', type: 'text', text: 'one', containerId: 'b', frameId: 'b' },
      { id: 'b', type: 'text', text: 'two', containerId: 'a', frameId: 'a' },
    ]
    const elements = JSON.stringify({ type: 'excalidraw', elements: sketch })
    assert.deepEqual((await read(elements, 'a.excalidraw')).sort(), ['one', 'two'])
    const own = '<Shape ID="1" Master="4"/><Shape ID="1" Master="9"><Text>own</Text></Shape>'
    const master = '<MasterContents><Shape ID="1" Master="4"><Text>inherited</Text></Shape></MasterContents>'
    assert.deepEqual(await read(visio(`<PageContents>${own}</PageContents>`, master), 'a.vsdx'), [
      'P',
      'inherited',
      'own',
    ])
  })

  test('it is read or refused if it is nested deeply', async () => {
    const depth = 100_000
    const chain = drawio(...Array.from({ length: depth }, (_, at) => vertex(`c${at}`, `c${at - 1}`)))
    assert.equal((await read(chain, 'a.drawio')).length, depth)
    const open = `${'<Shape ID="1"><Text>a</Text><Shapes>'.repeat(depth)}${'</Shapes></Shape>'.repeat(depth)}`
    assert.equal((await read(visio(`<PageContents>${open}</PageContents>`), 'a.vsdx')).length, depth + 1)
    const svg = `<svg xmlns="http://www.w3.org/2000/svg">${'<g>'.repeat(depth)}<text>deep</text>${'</g>'.repeat(depth)}</svg>`
    assert.deepEqual(await read(svg, 'a.svg'), ['deep'])
    const gliffy = `{"contentType":"application/gliffy+json","stage":{"objects":[${'{"children":['.repeat(depth)}${']}'.repeat(depth)}]}}`
    assert.deepEqual(await read(gliffy, 'a.gliffy'), [])
  })

  test('it does not expand entities', async () => {
    const laughs = '<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    assert.deepEqual(await read(`${laughs}<svg><text>&b; &amp; more</text></svg>`, 'a.svg'), ['&b; & more'])
    const cell = '<mxCell value="&b;" vertex="1"/>'
    assert.deepEqual(
      await read(`${laughs.replace('svg', 'mxfile')}<mxGraphModel>${cell}</mxGraphModel>`, 'a'),
      ['&b;'],
    )
    const part = `${laughs}<PageContents>&b;</PageContents>`
    await refused(visio(part), 'a.vsdx', ['document_broken', /declares XML entities/])
  })

  test('it has a reason if it is cut', async () => {
    for (const [name, message] of [
      ['a.drawio', /ends early|cannot be unpacked/],
      ['a.xml', /ends early/],
      ['a.svg', /ends early/],
      ['a.ttml', /ends early/],
    ] as const) {
      const [, content = ''] = SMALL.find(([each]) => each === name) ?? []
      await refused(content.slice(0, -20), name, ['document_broken', message])
    }
    const packedPage = `<mxfile><diagram>${packed(drawio(vertex('a', '1'))).slice(0, -8)}</diagram></mxfile>`
    await refused(packedPage, 'a.drawio', ['document_broken', /a page cannot be unpacked/])
    await refused('not a caption', 'a.srt', ['document_broken', /no captions with a time/])
  })

  test('it is read or has a reason after any change of bytes', async () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648
      return Math.floor((seed / 2147483648) * below)
    }
    for (const [name, content] of SMALL)
      for (let round = 0; round < 12; round++) {
        const bytes = Buffer.from(content)
        for (let change = 0; change < 3; change++) bytes[random(bytes.length)] = random(256)
        const outcome = await read(bytes, name).catch((error: unknown) => error)
        if (Array.isArray(outcome)) continue
        assert.ok(outcome instanceof AppError, String(outcome))
        assert.match(outcome.code, /^document_(broken|unsupported|too_large)$/, `${name}: ${outcome.message}`)
        assert.match(outcome.message, new RegExp(`^reading ${name}: |^partitioning ${name}: `))
      }
  })

  test('it takes a bounded time with patterns that repeat', async () => {
    const line = (unit: string) => unit.repeat(Math.ceil(300_000 / unit.length))
    for (const [name, content] of [
      ['a.vtt', `WEBVTT\n\n0:00.0 --> 0:01.0\n${line('<v.')}`],
      ['a.srt', `1\n00:00:00,000 --> 00:00:01,000\n${line('<')}${line('{\\a')}`],
      ['a.puml', `@startuml\n${line("/'")}`],
      ['b.puml', `@startuml\n${`${'<'.repeat(900)}\n`.repeat(50)}${`a${'-.'.repeat(450)}\n`.repeat(50)}`],
      [
        'a.mmd',
        `flowchart TD\n${`A${'['.repeat(900)}\n`.repeat(50)}${`A -- ${'a '.repeat(450)}\n`.repeat(50)}`,
      ],
      ['a.drawio', drawio(`<mxCell value="${line('&lt;div>')}" style="html=1" vertex="1"/>`)],
      ['c.mmd', `sequenceDiagram\n${`a${'.'.repeat(480)}!\n`.repeat(50)}`],
      ['d.mmd', `flowchart TD\n${`A -- ${' '.repeat(480)}!\n`.repeat(50)}`],
      ['c.puml', `@startuml\n${`${'.'.repeat(480)}!\n`.repeat(50)}`],
      ['b.vtt', `WEBVTT\n\n${['a', 'b'].map((name) => captionOf(name)).join('\n')}`],
      ['b.drawio', drawio(manyCells('edge="1" source="a" target="b"'), manyCells('value="x" parent="x"'))],
      ['c.drawio', drawio(manyCells('visible="0"'), manyCells('parent="x"'))],
      ['d.drawio', drawio(`<object label="${line('&lt;b>')}">${'<mxCell/>'.repeat(100_000)}</object>`)],
      [
        'e.drawio',
        drawio(
          `<object label="${line('%v%')}" v="${line('x')}" placeholders="1"><mxCell vertex="1"/></object>`,
        ),
      ],
      ['b.excalidraw', JSON.stringify({ type: 'excalidraw', elements: manyLabels() })],
    ] as const) {
      const startedAt = performance.now()
      await read(content, name).catch((error) => assert.ok(error instanceof AppError, String(error)))
      assert.ok(performance.now() - startedAt < 15_000, name)
    }
  })
})
