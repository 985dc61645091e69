import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Element } from '../../../document.ts'
import { AppError } from '../../../errors.ts'
import { detectFiletype } from '../../../filetype/filetype.ts'
import { createFileReading } from '../reading/file-reading.ts'
import { packArchive, unpack } from './archive.ts'
import { rewrite } from './office/hidden.ts'
import type { Strategy } from './reading-file.ts'

const files = createFileReading({ readers: 1 })
after(() => files.close())
const { signal } = new AbortController()
const fixtures = join(import.meta.dirname, '../../../../test/fixtures/files')

async function read(name: string, strategy: Strategy = 'auto') {
  const bytes = await readFile(join(fixtures, name))
  return readBytes(bytes, basename(name), strategy)
}

async function readBytes(bytes: Uint8Array, filename: string, strategy: Strategy = 'auto') {
  const filetype = await detectFiletype(bytes, filename, true)
  return files.read({ filename, filetype, bytes, url: '', strategy, languages: ['eng'] }, signal)
}

const archiveOf = (parts: Record<string, string>) =>
  packArchive(new Map(Object.entries(parts).map(([name, text]) => [name, Buffer.from(text)])))

const docxParagraph = (style: string, text: string) =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`

function odtOf(body: string): Buffer {
  return archiveOf({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:automatic-styles><text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style></office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
  })
}

/** A DOCX of paragraphs, with the styles and numberings that they name. */
function docxOf({ styles, numbering = '', body }: { styles: string; numbering?: string; body: string }) {
  const open = 'http://schemas.openxmlformats.org'
  const word = `xmlns:w="${open}/wordprocessingml/2006/main"`
  const link = (id: string, target: string) =>
    `<Relationship Id="${id}" Type="${open}/officeDocument/2006/relationships/${id}" Target="${target}"/>`
  const links = (all: string) =>
    `<Relationships xmlns="${open}/package/2006/relationships">${all}</Relationships>`
  return archiveOf({
    '[Content_Types].xml': `<Types xmlns="${open}/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': links(link('officeDocument', 'word/document.xml')),
    'word/_rels/document.xml.rels': links(link('styles', 'styles.xml') + link('numbering', 'numbering.xml')),
    'word/styles.xml': `<w:styles ${word}>${styles}</w:styles>`,
    'word/numbering.xml': `<w:numbering ${word}>${numbering}</w:numbering>`,
    'word/document.xml': `<w:document ${word}><w:body>${body}</w:body></w:document>`,
  })
}

/** Type, depth, start of the text, page. */
const outline = (elements: Element[]) =>
  elements.map(({ type, text, metadata: { category_depth: depth, page_number: page } }) =>
    [
      type + (depth === undefined ? '' : ` ${depth}`),
      text.slice(0, 20),
      ...(page === undefined ? [] : [page]),
    ].join(' | '),
  )
const html = (elements: Element[]) =>
  elements.flatMap(({ metadata }) => (metadata.text_as_html ? [metadata.text_as_html] : []))

const HANDBOOK = [
  'Title 1 | Handbook of the weir',
  'NarrativeText | The weir holds the w',
  'Title 2 | What to carry',
  'ListItem 1 | A lantern',
  'ListItem 1 | The long hook',
  'Title 2 | Levels',
  'Table | Gate Lowest Highest\n',
  'NarrativeText | Above the highest le',
  'Title 1 | When the water rises',
  'NarrativeText | Nobody goes onto the',
]
const onPages = HANDBOOK.map((line, index) => `${line} | ${index < 8 ? 1 : 2}`)
const LEVELS =
  '<table><thead><tr><th>Gate</th><th>Lowest</th><th>Highest</th></tr></thead><tbody>' +
  '<tr><td>North gate</td><td>40 cm</td><td>95 cm</td></tr>' +
  '<tr><td>South gate</td><td>35 cm</td><td>80 cm</td></tr></tbody></table>'
const GRAIN =
  '<table><thead><tr><th>Kind</th><th>Sacks</th><th>Counted</th></tr></thead><tbody>' +
  '<tr><td>Rye</td><td>120</td><td>2026-03-02</td></tr>' +
  '<tr><td>Spelt &amp; oats</td><td>42.5</td><td>2026-03-05</td></tr></tbody></table>'

describe('files of office programs', () => {
  test('it names captions of DOCX by their style', async () => {
    const styles = '<w:style w:type="paragraph" w:styleId="Beschriftung"><w:name w:val="caption"/></w:style>'
    const body = docxParagraph('Beschriftung', 'The weir in May') + docxParagraph('x', 'Plain')
    const { elements } = await readBytes(docxOf({ styles, body }), 'a.docx')
    assert.deepEqual(outline(elements), [
      'FigureCaption | The weir in May | 1',
      'UncategorizedText | Plain | 1',
    ])
  })

  test('it keeps headings and numbered lists across pages (DOCX)', async () => {
    const styles =
      '<w:style w:type="paragraph" w:styleId="h"><w:name w:val="heading 2"/></w:style><w:style w:type="paragraph" w:styleId="n"><w:name w:val="List"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    const numbering =
      '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:pStyle w:val="n"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    const page = '</w:t><w:lastRenderedPageBreak/><w:t>'
    const body =
      docxParagraph('n', 'Oil the gate') +
      docxParagraph('n', `Open${page}the weir`) +
      docxParagraph('n', `${page}Close it`) +
      docxParagraph('h', `${page}Floods`)
    const { elements } = await readBytes(docxOf({ styles, numbering, body }), 'a.docx')
    assert.deepEqual(outline(elements), [
      'ListItem 1 | 1. Oil the gate | 1',
      'ListItem 1 | 2. Open | 1',
      'UncategorizedText | the weir | 2',
      'ListItem 1 | 3. Close it | 3',
      'Title 2 | Floods | 4',
    ])
  })

  test('it reads headings, lists, tables, links and pages of a text document (DOCX)', async () => {
    const { elements } = await read('handbook.docx')
    assert.deepEqual(outline(elements), onPages)
    assert.deepEqual(html(elements), [LEVELS])
    assert.deepEqual(elements.at(-1)?.metadata.link_urls, ['https://weir.example.com/flood'])
    assert.equal(elements.at(-1)?.metadata.parent_id, elements.at(-2)?.element_id)
  })

  test('it keeps words apart at line breaks and reads headings in lists (ODT)', async () => {
    const heading = (level: number, text: string) => `<text:h text:outline-level="${level}">${text}</text:h>`
    const list = (item: string) =>
      `<text:list text:style-name="L"><text:list-item>${item}</text:list-item></text:list>`
    const body = `${list(heading(1, 'Weir'))}${list(list(heading(2, 'Gates')))}${list('<text:p>Oil</text:p>')}<text:p>Open<text:line-break/><text:span>North</text:span></text:p>`
    const { elements } = await readBytes(odtOf(body), 'weir.odt')
    assert.deepEqual(outline(elements), [
      'Title 1 | Weir',
      'Title 2 | Gates',
      'ListItem 1 | Oil',
      'UncategorizedText | Open\nNorth',
    ])
  })

  test('it reads lists in the cells of a table (ODT)', async () => {
    const item = (text: string) => `<text:list-item><text:p>${text}</text:p></text:list-item>`
    const cell = (content: string) => `<table:table-cell>${content}</table:table-cell>`
    const list = `<text:list text:style-name="L"><text:list-header><text:p>Do</text:p></text:list-header>${item('Oil')}<text:list-item><text:list>${item('Turn')}</text:list></text:list-item></text:list>`
    const row = `${cell('<text:p>Gate</text:p>')}${cell(list)}<table:table-cell/>`
    const table = `<table:table><table:table-row>${row}</table:table-row></table:table>`
    const after = `<text:list text:style-name="L">${item('Close')}</text:list>`
    const { elements } = await readBytes(odtOf(table + after), 'weir.odt')
    assert.deepEqual(html(elements), [
      '<table><tbody><tr><td>Gate</td><td>Do<br/>Oil<br/>Turn</td><td></td></tr></tbody></table>',
    ])
    assert.deepEqual(outline(elements).slice(1), ['ListItem 1 | Close'])
  })

  test('it reads a paragraph after a bold tab as a paragraph (RTF)', async () => {
    const rtf = String.raw`{\rtf1\ansi\pard\b\fs28 Opening the weir\par\pard\tab\b0\fs20 1.\tab Anna turns the wheel.\par\pard\s2\tab\fs20 Floods\par\pard\b\fs32\tab Droughts\par}`
    const { elements } = await readBytes(Buffer.from(rtf), 'weir.rtf')
    assert.deepEqual(outline(elements), [
      'Title 4 | Opening the weir',
      'NarrativeText | 1. Anna turns the wh',
      'Title 2 | Floods',
      'Title 3 | Droughts',
    ])
  })

  test('it reads spaces and hyphens that do not break (RTF)', async () => {
    const rtf = String.raw`{\rtf1\ansi e.\~g. \b\~North\_gate, but C:\\~old\par}`
    const { elements } = await readBytes(Buffer.from(rtf), 'weir.rtf')
    assert.deepEqual(
      elements.map(({ text }) => text),
      ['e. g. North-gate, but C:\\~old'],
    )
  })

  test('it reads documents without page numbers (DOC, ODT, RTF)', async () => {
    for (const name of ['handbook.doc', 'handbook.odt']) {
      const { elements } = await read(name)
      assert.deepEqual(outline(elements), HANDBOOK)
      assert.deepEqual(html(elements), [LEVELS])
      assert.deepEqual(elements.at(-1)?.metadata.link_urls, ['https://weir.example.com/flood'])
    }
    const rich = (await read('handbook.rtf')).elements
    assert.deepEqual(outline(rich), HANDBOOK)
    // RTF has rows but no header mark.
    const plain = LEVELS.replaceAll('th>', 'td>').replace('<thead>', '<tbody>').replace('</thead><tbody>', '')
    assert.deepEqual(html(rich), [plain])
  })

  test('it reads slides as pages, title first, notes last (PPT, PPTX, ODP)', async () => {
    for (const name of ['talk.ppt', 'talk.pptx', 'talk.odp']) {
      const { elements } = await read(name)
      assert.deepEqual(
        outline(elements),
        [
          'Title 1 | New stones | 1',
          'ListItem 1 | Stones wear out afte | 1',
          'ListItem 1 | A sharp stone saves  | 1',
          'NarrativeText | Ask the miller first | 1',
          'Title 1 | What it costs | 2',
          'Table | Stone Price\nBasalt 9 | 2',
        ],
        name,
      )
      assert.match(html(elements)[0] ?? '', /<td>Basalt<\/td><td>900<\/td>/)
    }
  })

  test('it reads a workbook as one table per sheet (XLS, XLSX, ODS, CSV)', async () => {
    for (const name of ['stock.xls', 'stock.xlsx', 'stock.ods']) {
      const { elements } = await read(name)
      assert.deepEqual(outline(elements), [
        'Title 1 | Grain | 1',
        'Table | Kind Sacks Counted\nR | 1',
        'Title 1 | Stones | 2',
        'Table | Stone Sharp\nRunner 1 | 2',
      ])
      assert.equal(html(elements)[0], GRAIN)
      assert.deepEqual(
        elements.map(({ metadata }) => metadata.page_name),
        ['Grain', 'Grain', 'Stones', 'Stones'],
      )
    }
    assert.deepEqual(html((await read('stock.csv')).elements), [GRAIN])
  })

  test('it reads the other sheets of a workbook with a chart sheet (XLSX)', async () => {
    const parts = unpack({ bytes: await readFile(join(fixtures, 'stock.xlsx')), filename: '' }, () => true)
    rewrite(parts, 'xl/_rels/workbook.xml.rels', (xml) =>
      xml.replace('relationships/worksheet', 'relationships/chartsheet'),
    )
    assert.deepEqual(outline((await readBytes(packArchive(parts), 'stock.xlsx')).elements), [
      'Title 1 | Grain | 1',
      'Title 1 | Stones | 2',
      'Table | Stone Sharp\nRunner 1 | 2',
    ])
  })

  test('it detects the delimiter of a row', async () => {
    const rows = async (text: string) => html((await readBytes(Buffer.from(text), 'a.csv')).elements)
    const expected = [
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1,5</td><td>x y</td></tr></tbody></table>',
    ]
    assert.deepEqual(await rows('a;b\r\n1,5;"x y"\r\n'), expected)
    assert.deepEqual(await rows('\ufeffa,b\n"1,5",x y\n\n'), expected)
    assert.deepEqual(await rows('a\tb\n1,5\tx y'), expected)
  })
})

describe('files of text', () => {
  test('it reads Markdown with its headings, lists, tables, code and links', async () => {
    const { elements } = await read('notes.md')
    assert.deepEqual(outline(elements), [
      'Title 1 | Notes on the sluice',
      'NarrativeText | The sluice was built',
      'Title 2 | Parts',
      'ListItem 1 | A frame of oak',
      'ListItem 1 | Two boards',
      'ListItem 2 | the upper one',
      'Table | Part Weight\nFrame 80',
      'CodeSnippet | open --gate north',
    ])
  })

  test('it reads an email and names its attachments (EML, MSG)', async () => {
    const { elements, warnings } = await read('letter.eml')
    assert.deepEqual(outline(elements), [
      'Title 1 | High water on Friday',
      'NarrativeText | From: Ida Reed <ida@',
      'Title 2 | What to do',
      'NarrativeText | Please open both gat',
      'ListItem 1 | North gate first',
      'ListItem 1 | Then the south gate',
      'Table | Mark Hour\nsecond 14:',
    ])
    const { sent_from, sent_to, cc_recipient, subject } = elements[3]!.metadata
    assert.deepEqual(
      [sent_from, cc_recipient],
      [['Ida Reed <ida@weir.example.com>'], ['council@town.example.com']],
    )
    assert.deepEqual(sent_to, ['The keeper <keeper@weir.example.com>', 'miller@mill.example.com'])
    assert.equal(subject, 'High water on Friday – both gates')
    assert.deepEqual(
      warnings.map(({ code, count }) => [code, count]),
      [['attachments_left', 1]],
    )
    assert.match(warnings[0]?.message ?? '', /plan\.pdf/)

    const outlook = (await read('letter.msg')).elements
    assert.deepEqual(
      outlook.map(({ text }) => text),
      [
        'Sacks for Monday',
        'From: Ida Reed <ida@weir.example.com>\nTo: The keeper <keeper@weir.example.com>',
        'Please send forty sacks of rye.',
        'The cart comes at noon.',
      ],
    )
  })

  test('it rounds times to the nearest second (XLSX)', async () => {
    const [open, sheet] = [
      'http://schemas.openxmlformats.org',
      'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"',
    ]
    const link = (id: string, type: string, target: string) =>
      `<Relationship Id="${id}" Type="${open}/officeDocument/2006/relationships/${type}" Target="${target}"/>`
    const links = (all: string) =>
      `<Relationships xmlns="${open}/package/2006/relationships">${all}</Relationships>`
    const parts = {
      '[Content_Types].xml': `<Types xmlns="${open}/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
      '_rels/.rels': links(link('a', 'officeDocument', 'xl/workbook.xml')),
      'xl/workbook.xml': `<workbook ${sheet} xmlns:r="${open}/officeDocument/2006/relationships"><sheets><sheet name="Floods" sheetId="1" r:id="b"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': links(
        link('b', 'worksheet', 'worksheets/sheet1.xml') + link('c', 'styles', 'styles.xml'),
      ),
      'xl/styles.xml': `<styleSheet ${sheet}><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
      'xl/worksheets/sheet1.xml': `<worksheet ${sheet}><sheetData><row r="1"><c r="A1" s="1"><v>42488.479166666664</v></c><c r="B1"><v>1</v></c></row></sheetData></worksheet>`,
    }
    const { elements } = await readBytes(archiveOf(parts), 'floods.xlsx')
    assert.equal(elements.at(-1)?.text, '2016-04-28 11:30 1')
  })

  test('it reads the chapters of a book in order (EPUB)', async () => {
    const { elements } = await read('handbook.epub')
    const texts = elements.map(({ text }) => text)
    assert.equal(texts[0], 'Handbook of the weir')
    assert.match(texts.at(-1) ?? '', /Nobody goes onto the weir alone/)
    assert.equal(html(elements).length, 1)
  })

  test('it reads a page once whose sections a book lists one by one (EPUB)', async () => {
    const item = (id: string) =>
      `<item id="${id}" href="weir.xhtml#${id}" media-type="application/xhtml+xml"/>`
    const parts = {
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': '<container><rootfile full-path="book.opf"/></container>',
      'book.opf': `<package>${item('a')}${item('b')}<itemref idref="a"/><itemref idref="b"/></package>`,
      'weir.xhtml': '<html><body><h1 id="a">Weir</h1><h1 id="b">Gates</h1></body></html>',
    }
    const { elements } = await readBytes(archiveOf(parts), 'weir.epub')
    assert.deepEqual(outline(elements), ['Title 1 | Weir', 'Title 1 | Gates'])
  })
})

describe('PDFs and pictures', () => {
  const scanned = [
    'UncategorizedText | Weir keepers of the  | 1',
    ...onPages.slice(0, 8),
    'UncategorizedText | Page 1 of 2 | 1',
  ]

  test('it reads headings by size, lists, ruled tables and running heads', async () => {
    for (const strategy of ['fast', 'auto', 'hi_res'] as const) {
      const { elements } = await read('handbook.pdf', strategy)
      const body = elements.filter(({ type }) => type !== 'Header' && type !== 'Footer')
      assert.deepEqual(outline(body), onPages)
      assert.deepEqual(html(elements), [LEVELS])
      const heads = outline(elements.filter((element) => !body.includes(element)))
      assert.deepEqual(heads, [
        'Header | Weir keepers of the  | 1',
        'Footer | Page 1 of 2 | 1',
        'Header | Weir keepers of the  | 2',
        'Footer | Page 2 of 2 | 2',
      ])
      assert.deepEqual(
        new Set(elements.at(-2)?.metadata.link_urls),
        new Set(['https://weir.example.com/flood']),
      )
    }
  })

  test('it reads columns in order, and finds unruled tables with hi_res', async () => {
    const { elements } = await read('columns.pdf')
    assert.deepEqual(outline(elements).slice(0, 6), [
      'Title 1 | Two columns of the a | 1',
      'NarrativeText | First comes the wint | 1',
      'NarrativeText | Second comes the spr | 1',
      'NarrativeText | Third comes the summ | 1',
      'NarrativeText | Fourth comes the aut | 1',
      'NarrativeText | What the tolls are i | 1',
    ])
    assert.deepEqual(html(elements), [])
    const more = (await read('columns.pdf', 'hi_res')).elements
    assert.deepEqual(outline(more).slice(0, 6), outline(elements).slice(0, 6))
    assert.match(
      html(more)[0] ?? '',
      /<th>Season<\/th>.*<td>Spring<\/td><td>two pence<\/td><td>the keeper<\/td>/,
    )
  })

  test('it uses OCR only for scanned pages', async () => {
    const { elements, warnings } = await read('scan.pdf')
    const [typed, ...scannedElements] = [elements.at(-1)!, ...elements.slice(0, -1)]
    assert.deepEqual(outline(scannedElements).map(normalizeBullet), scanned.map(normalizeBullet))
    assert.deepEqual(html(elements), [LEVELS])
    assert.deepEqual(
      new Set(scannedElements.map(({ metadata }) => metadata.partitioner_type)),
      new Set(['hi_res']),
    )
    assert.deepEqual([typed.metadata.page_number, typed.metadata.partitioner_type], [2, 'fast'])
    assert.deepEqual(warnings, [])
  })

  test('it skips pictures with strategy fast and reports it', async () => {
    const { elements, warnings } = await read('scan.pdf', 'fast')
    assert.deepEqual(outline(elements), ['NarrativeText | This page was typed, | 2'])
    assert.deepEqual(
      warnings.map(({ code, count }) => [code, count]),
      [['pages_without_text', 1]],
    )
    await assert.rejects(
      read('handbook.png', 'fast'),
      (error) =>
        error instanceof AppError && error.code === 'document_unsupported' && error.skips === 'until_changed',
    )
  })

  test('it reads a picture by OCR', async () => {
    // The upper part suffices: tables in pictures are read like those on scans.
    const { createCanvas, loadImage } = await import('@napi-rs/canvas')
    const canvas = createCanvas(795, 220)
    canvas.getContext('2d').drawImage(await loadImage(join(fixtures, 'handbook.png')), 0, 0)
    const { elements } = await readBytes(await canvas.encode('png'), 'handbook.png')
    assert.deepEqual(outline(elements), scanned.slice(0, 3))
    for (const { metadata } of elements)
      assert.ok(metadata.detection_class_prob! > 0.8 && metadata.detection_class_prob! <= 1)
  })

  test('it reads each page of a scan (TIFF)', async () => {
    const { elements } = await read('fax.tif')
    assert.deepEqual(outline(elements).slice(0, 3), scanned.slice(0, 3))
    assert.deepEqual(html(elements), [LEVELS])
    assert.deepEqual(
      new Set(elements.map(({ metadata }) => `${metadata.page_number} ${metadata.partitioner_type}`)),
      new Set(['1 hi_res', '2 hi_res']),
    )
    await assert.rejects(read('fax.tif', 'fast'), { code: 'document_unsupported' })
  })

  test('it renders the pages of a PDF as pictures', async () => {
    const bytes = await readFile(join(fixtures, 'handbook.pdf'))
    const file = {
      filename: 'handbook.pdf',
      filetype: 'application/pdf',
      bytes,
      url: '',
      strategy: 'auto' as const,
      languages: [],
    }
    const pictures: unknown[] = []
    for await (const { page, pages, png } of files.pictures(file, signal))
      pictures.push([page, pages, await detectFiletype(png, '', true)])
    assert.deepEqual(pictures, [
      [1, 2, 'image/png'],
      [2, 2, 'image/png'],
    ])
    for await (const { page } of files.pictures(file, signal)) {
      assert.equal(page, 1)
      break
    }
    assert.equal(
      (await read('handbook.pdf')).elements.length,
      14,
      'the reader is free after a caller stops early',
    )
  })
})

/** OCR may miss the space after a bullet. */
function normalizeBullet(line: string): string {
  return line.replace('A lantern', 'Alantern')
}
