import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { deflateRawSync, deflateSync } from 'node:zlib'
import { compoundFile } from '../../../../../test/fixtures/compound-file.ts'
import type { Element } from '../../../../document.ts'
import { detectFiletype } from '../../../../filetype/filetype.ts'
import { createFileReading } from '../../reading/file-reading.ts'
import { packArchive } from '../archive.ts'

const files = createFileReading({ readers: 1 })
after(() => files.close())
const { signal } = new AbortController()

async function read(content: string | Uint8Array, filename: string): Promise<Element[]> {
  const bytes = Buffer.from(content)
  const filetype = await detectFiletype(bytes, filename, true)
  const file = { filename, filetype, bytes, url: '', strategy: 'fast' as const, languages: [] }
  return (await files.read(file, signal)).elements
}

const outline = (elements: Element[]) => elements.map(({ type, text }) => `${type} | ${text}`)
const texts = (elements: Element[]) => elements.map(({ text }) => text)

const cell = (id: string, value: string, rest: string) =>
  `<mxCell id="${id}" value="${value}" ${rest.includes('parent=') ? '' : 'parent="1" '}${rest}`
const box = (id: string, value: string, [x, y]: [number, number], rest = '') =>
  `${cell(id, value, `vertex="1" style="rounded=0;html=1;" ${rest}`)}><mxGeometry x="${x}" y="${y}" width="120" height="60" as="geometry"/></mxCell>`
const edge = (id: string, value: string, rest: string) =>
  `${cell(id, value, `edge="1" ${rest}`)}><mxGeometry relative="1" as="geometry"/></mxCell>`
const model = (...cells: string[]) =>
  `<mxGraphModel dx="1"><root><mxCell id="0"/><mxCell id="1" parent="0"/>${cells.join('')}</root></mxGraphModel>`

const WEIR = model(
  box('c', '&lt;b&gt;South&lt;/b&gt; gate&lt;br&gt;&lt;i&gt;closed &amp;amp; locked&lt;/i&gt;', [40, 200]),
  box('b', 'North gate', [300, 12]),
  box('a', 'The keeper opens the gate in the morning.', [40, 10]),
  edge('e1', 'rings', 'source="a" target="b" style="html=1;"'),
  edge('e2', '', 'source="b" target="c" style="endArrow=none;"'),
  cell(
    'l2',
    '2&lt;sup&gt;nd&lt;/sup&gt;',
    'parent="e2" vertex="1" connectable="0" style="edgeLabel;html=1;"/>',
  ),
  edge('e3', 'a line that hangs', 'source="c" style=""'),
)
const WEIR_TEXTS = [
  'NarrativeText | The keeper opens the gate in the morning.',
  'UncategorizedText | North gate',
  'UncategorizedText | South gate\nclosed & locked',
  'ListItem | The keeper opens the gate in the morning. → North gate: rings',
  'ListItem | North gate – South gate closed & locked: 2nd',
  'UncategorizedText | a line that hangs',
]
const packed = (xml: string) => deflateRawSync(encodeURIComponent(xml)).toString('base64')

describe('diagrams of draw.io', () => {
  test('it reads shapes in rows and connections by the names of their ends', async () => {
    const elements = await read(
      `<mxfile host="x"><diagram name="Weir">${WEIR}</diagram></mxfile>`,
      'weir.drawio',
    )
    assert.deepEqual(outline(elements), ['Title | Weir', ...WEIR_TEXTS])
    assert.deepEqual(elements[1]?.metadata.page_name, 'Weir')
    assert.equal(elements[1]?.metadata.parent_id, elements[0]?.element_id)
    assert.equal(elements[0]?.metadata.filetype, 'application/vnd.jgraph.mxfile')
  })

  test('it reads compressed pages and files without an extension', async () => {
    const mill = model(box('a', 'Mill', [0, 0]))
    const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<mxfile><diagram id="1" name="Weir">${packed(WEIR)}</diagram><diagram name="Mill &amp; more">\n${packed(mill)}\n</diagram></mxfile>`
    const elements = await read(xml, 'Overview')
    assert.deepEqual(outline(elements), [
      'Title | Weir',
      ...WEIR_TEXTS,
      'Title | Mill & more',
      'UncategorizedText | Mill',
    ])
    assert.deepEqual(
      [elements.at(-1)?.metadata.page_number, elements.at(-1)?.metadata.page_name],
      [2, 'Mill & more'],
    )
    assert.deepEqual(outline(await read(WEIR, 'weir.xml')), WEIR_TEXTS)
  })

  test('it reads what is inside a shape after it, and leaves hidden layers out', async () => {
    const xml = model(
      '<mxCell id="2" value="Drafts" parent="0" visible="0"/>',
      box('h', 'A hidden box', [0, 0], 'parent="2"'),
      box('in', 'inside', [0, 40], 'parent="lane"'),
      box('below', 'Below', [0, 300]),
      box('lane', 'Lane', [0, 0]),
      '<UserObject label="Owner %name%" name="Ida" placeholders="1" link="https://weir.example.com/ida" id="o">' +
        '<mxCell style="html=1" vertex="1" parent="1"><mxGeometry y="600" as="geometry"/></mxCell></UserObject>',
    )
    const elements = await read(xml, 'lanes.drawio')
    assert.deepEqual(texts(elements), ['Lane', 'inside', 'Below', 'Owner Ida'])
    assert.deepEqual(elements.at(-1)?.metadata.link_urls, ['https://weir.example.com/ida'])
  })

  test('it reads the diagram inside a picture (PNG, SVG)', async () => {
    const chunk = (type: string, data: Buffer) => {
      const head = Buffer.alloc(8)
      head.writeUInt32BE(data.length)
      head.write(type, 4, 'latin1')
      return Buffer.concat([head, data, Buffer.alloc(4)])
    }
    const encoded = Buffer.from(encodeURIComponent(WEIR))
    for (const [type, data] of [
      ['tEXt', Buffer.concat([Buffer.from('mxfile\0'), encoded])],
      ['zTXt', Buffer.concat([Buffer.from('mxGraphModel\0\0'), deflateSync(encoded)])],
    ] as const) {
      const png = [
        Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
        chunk('IHDR', Buffer.alloc(13)),
        chunk(type, data),
      ]
      assert.deepEqual(
        outline(await read(Buffer.concat([...png, chunk('IDAT', Buffer.alloc(9))]), 'a.png')),
        WEIR_TEXTS,
      )
    }
    const content = WEIR.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" content="${content}"><text>Drawn</text></svg>`
    assert.deepEqual(outline(await read(svg, 'weir.drawio.svg')), WEIR_TEXTS)
  })
})

describe('other drawings', () => {
  test('it reads a sketch of Excalidraw', async () => {
    const sketch = {
      type: 'excalidraw',
      elements: [
        {
          id: 'arrow',
          type: 'arrow',
          startBinding: { elementId: 'a' },
          endBinding: { elementId: 'b' },
          endArrowhead: 'arrow',
        },
        { id: 't3', type: 'text', containerId: 'arrow', text: 'feeds' },
        { id: 'b', type: 'ellipse', x: 300, y: 4, height: 50, boundElements: [{ id: 't2' }] },
        {
          id: 't2',
          type: 'text',
          containerId: 'b',
          text: 'Mill\nwheel',
          originalText: 'Mill wheel',
          x: 320,
          y: 10,
        },
        { id: 'a', type: 'rectangle', x: 0, y: 0, height: 50, frameId: 'f' },
        { id: 't1', type: 'text', containerId: 'a', text: 'Weir', x: 5, y: 5 },
        { id: 'f', type: 'frame', name: 'River', x: -10, y: -10, height: 100 },
        { id: 'gone', type: 'text', text: 'Old', isDeleted: true },
      ],
      appState: {},
    }
    assert.deepEqual(outline(await read(JSON.stringify(sketch), 'sketch')), [
      'UncategorizedText | River',
      'UncategorizedText | Weir',
      'UncategorizedText | Mill wheel',
      'ListItem | Weir → Mill wheel: feeds',
    ])
    const { type, ...rest } = sketch
    assert.equal((await read(JSON.stringify({ ...rest, type }), 'a.excalidraw')).length, 4)
  })

  test('it reads a diagram of Gliffy', async () => {
    const text = (id: number, html: string) => ({ id, graphic: { type: 'Text', Text: { html } } })
    const shape = (id: number, y: number, html: string) => ({
      ...{ id, x: 0, y, height: 40, graphic: { type: 'Shape' }, children: [text(id + 100, html)] },
    })
    const objects = [
      shape(2, 200, '<p style="text-align: center"><span>South gate</span></p>'),
      shape(1, 0, '<p>North &amp; old gate</p>'),
      {
        ...{
          id: 3,
          graphic: { type: 'Line', Line: { startArrow: 0, endArrow: 2 } },
          children: [text(9, '<b>opens</b>')],
        },
        constraints: {
          startConstraint: { StartPositionConstraint: { nodeId: 1 } },
          endConstraint: { EndPositionConstraint: { nodeId: 2 } },
        },
      },
      { id: 7, hidden: true, graphic: { type: 'Text', Text: { html: 'Hidden' } } },
    ]
    const expected = [
      'UncategorizedText | North & old gate',
      'UncategorizedText | South gate',
      'ListItem | North & old gate → South gate: opens',
    ]
    const contentType = 'application/gliffy+json'
    const old = { contentType, metadata: { title: 'untitled' }, stage: { objects } }
    assert.deepEqual(outline(await read(JSON.stringify(old), 'Weir')), expected)
    const paged = { contentType, pages: [{ title: 'Gates', scene: { objects } }] }
    assert.deepEqual(outline(await read(JSON.stringify(paged), 'Weir')), ['Title | Gates', ...expected])
  })

  test('it reads the words of a vector graphic', async () => {
    const svg = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><title>Map of the weir</title>
      <style>text { fill: red }</style><g><text x="1"><tspan x="1">North</tspan><tspan x="1" dy="1em">gate</tspan></text>
      <text>40&#160;cm</text><foreignObject><div>A <b>wide</b> bank<br/>of clay</div></foreignObject></g></svg>`
    assert.deepEqual(outline(await read(svg, 'map.svg')), [
      'Title | Map of the weir',
      'UncategorizedText | North gate',
      'UncategorizedText | 40 cm',
      'UncategorizedText | A wide bank of clay',
    ])
  })
})

describe('drawings of Visio', () => {
  const relationship = (id: string, target: string) =>
    `<Relationship Id="${id}" Type="x" Target="${target}"/>`
  const shape = (id: number, inner: string, rest = '') => `<Shape ID="${id}" ${rest}>${inner}</Shape>`
  const at = (x: number, y: number) =>
    `<Cell N="PinX" V="${x}"/><Cell N="PinY" V="${y}"/><Cell N="Height" V="1"/><Cell N="Width" V="2"/>`
  const page = [
    shape(1, `${at(2, 2)}<Text><cp IX="0"/>South gate\n</Text>`),
    shape(2, `${at(2, 8)}<Section N="User"><Row><Cell N="PinX" V="9"/></Row></Section>`, 'Master="4"'),
    shape(3, '<Text>opens</Text>', 'Master="7"'),
    shape(
      4,
      `${at(6, 8)}<Shapes>${shape(5, '', 'MasterShape="6"')}${shape(6, '<Text/>', 'MasterShape="6"')}</Shapes>`,
      'Master="4"',
    ),
  ]
  const parts = (type: string) =>
    new Map(
      Object.entries({
        '[Content_Types].xml': `<Types><Override PartName="/visio/document.xml" ContentType="application/vnd.ms-visio.${type}.main+xml"/></Types>`,
        'visio/document.xml': '<VisioDocument/>',
        'visio/pages/pages.xml':
          '<Pages><Page ID="0" NameU="Page-1" Name="Gates &amp; mill"><PageSheet/><Rel r:id="r1"/></Page></Pages>',
        'visio/pages/_rels/pages.xml.rels': `<Relationships>${relationship('r1', 'page1.xml')}</Relationships>`,
        'visio/pages/page1.xml': `<PageContents><Shapes>${page.join('')}</Shapes><Connects><Connect FromSheet="3" FromCell="EndX" ToSheet="1"/><Connect FromSheet="3" FromCell="BeginX" ToSheet="2"/></Connects></PageContents>`,
        'visio/masters/masters.xml':
          '<Masters><Master ID="4" Name="Gate"><Rel r:id="r1"/></Master></Masters>',
        'visio/masters/_rels/masters.xml.rels': `<Relationships>${relationship('r1', 'master1.xml')}</Relationships>`,
        'visio/masters/master1.xml': `<MasterContents><Shapes>${shape(5, `<Text>North gate</Text><Shapes>${shape(6, '<Text>a board</Text>')}</Shapes>`)}</Shapes></MasterContents>`,
      }).map(([name, text]) => [name, Buffer.from(text)] as const),
    )

  test('it reads pages, inherited texts and connectors (VSDX, VSDM, VSTX)', async () => {
    for (const type of ['drawing', 'drawing.macroEnabled', 'template']) {
      const elements = await read(packArchive(new Map(parts(type))), 'gates')
      assert.deepEqual(outline(elements), [
        'Title | Gates & mill',
        'UncategorizedText | North gate',
        'UncategorizedText | North gate',
        'UncategorizedText | a board',
        'UncategorizedText | South gate',
        'ListItem | North gate → South gate: opens',
      ])
      assert.equal(elements[1]?.metadata.page_name, 'Gates & mill')
    }
  })

  test('it skips the binary format with a reason', async () => {
    const bytes = compoundFile([['VisioDocument', Buffer.alloc(5000)]])
    await assert.rejects(read(bytes, 'old.vsd'), { code: 'document_unsupported', fix: /VSDX/ })
  })
})
