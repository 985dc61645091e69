import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { packArchive, unpack } from '../archive.ts'
import type { ReadFile } from '../reading-file.ts'
import { readDocx } from './docx.ts'
import { rewrite } from './hidden.ts'
import { readOffice } from './office.ts'
import { readPptx } from './pptx.ts'
import { readXlsx } from './xlsx.ts'

/** The texts of a file after changing one part; the change must match. */
async function texts(
  read: ReadFile,
  { name, type = '', part }: { name: string; type?: string; part: string },
  change: (xml: string) => string,
) {
  const bytes = await readFile(join(import.meta.dirname, '../../../../../test/fixtures/files', name))
  const parts = unpack({ bytes, filename: name }, () => true)
  rewrite(parts, part, (xml) => {
    const changed = change(xml)
    assert.notEqual(changed, xml)
    return changed
  })
  const filetype = `application/vnd.oasis.opendocument.${type}`
  const file = {
    filename: name,
    filetype,
    bytes: packArchive(parts),
    url: '',
    strategy: 'auto' as const,
    languages: [],
  }
  const { blocks } = await read(file, { progress: () => {} })
  return blocks.map(({ text, metadata }) => `${text.slice(0, 20)}${metadata?.page_number ?? ''}`)
}

describe('hidden content', () => {
  test('it leaves out hidden sheets', async () => {
    const workbook = { name: 'stock.xlsx', part: 'xl/workbook.xml' }
    for (const state of ['hidden', 'veryHidden']) {
      const remaining = await texts(readXlsx, workbook, (xml) =>
        xml.replace('state="visible"', `state="${state}"`),
      )
      assert.deepEqual(remaining, ['Stones1', 'Stone Sharp\nRunner 11'])
    }
    const open = { name: 'stock.ods', type: 'spreadsheet', part: 'content.xml' }
    const remaining = await texts(readOffice, open, (xml) =>
      xml
        .replace(
          '</office:automatic-styles>',
          '<style:style style:name="no" style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles>',
        )
        .replace(/(<table:table table:name="Grain" table:style-name=)"\w+"/, '$1"no"'),
    )
    assert.deepEqual(remaining, ['Stones1', 'Stone Sharp\nRunner 11'])
  })

  test('it leaves out hidden slides but counts them as pages', async () => {
    const slides = { name: 'talk.pptx', part: 'ppt/slides/slide1.xml' }
    const remaining = ['What it costs2', 'Stone Price\nBasalt 92']
    assert.deepEqual(
      await texts(readPptx, slides, (xml) => xml.replace('<p:sld ', '<p:sld show="0" ')),
      remaining,
    )
    const open = { name: 'talk.odp', type: 'presentation', part: 'content.xml' }
    const slideTexts = await texts(readOffice, open, (xml) =>
      xml
        .replace(
          '</office:automatic-styles>',
          '<style:style style:name="no" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style></office:automatic-styles>',
        )
        .replace(/(<draw:page draw:name="[^"]*" draw:style-name=)"\w+"/, '$1"no"'),
    )
    assert.deepEqual(slideTexts, remaining)
  })

  test('it leaves out hidden text only', async () => {
    const document = { name: 'handbook.docx', part: 'word/document.xml' }
    const all = await texts(readDocx, document, (xml) =>
      xml.replaceAll('<w:rPr></w:rPr>', '<w:rPr><w:vanish w:val="0"/></w:rPr>'),
    )
    assert.equal(all.length, 10)
    const some = await texts(readDocx, document, (xml) =>
      xml.replace('<w:r><w:rPr></w:rPr><w:t>Handbook', '<w:r><w:rPr><w:b/><w:vanish/></w:rPr><w:t>Handbook'),
    )
    assert.deepEqual(some, all.slice(1))
    const marks = await texts(readDocx, document, (xml) =>
      xml.replace('<w:rPr></w:rPr></w:pPr>', '<w:rPr><w:vanish/></w:rPr></w:pPr>'),
    )
    assert.deepEqual(marks, all)
  })

  test('it leaves out hidden and deleted text, and keeps depth and notes (ODT, RTF)', async () => {
    for (const [name, filetype] of [
      ['minutes.odt', 'application/vnd.oasis.opendocument.text'],
      ['minutes.rtf', 'application/rtf'],
    ] as const) {
      const bytes = await readFile(join(import.meta.dirname, '../../../../../test/fixtures/files', name))
      const file = { bytes, filename: name, filetype, url: '', strategy: 'auto' as const, languages: [] }
      const { blocks } = await readOffice(file, { progress: () => {} })
      const lines = blocks.map(({ text }) => text)
      assert.ok(
        lines.includes('The council met at Köln – “upstairs” – with Олег and 日本 🦊 and drank tea.'),
        name,
      )
      assert.ok(lines.includes('The keeper empties the race every day, before noon. See the rules.'), name)
      assert.ok(lines.includes('Words in a box.') && lines.includes('The end came soon.'), name)
      assert.equal(lines.at(-1), '1. The miller was late.')
      assert.equal(blocks.find(({ text }) => text === 'Lock it')?.depth, 2, name)
    }
  })
})
