import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Element } from '../../document.ts'
import { neutralized, toCsv, withoutApostrophe } from './csv.ts'

function element(text: string, metadata: Partial<Element['metadata']>): Element {
  const own = { filename: 'a.txt', filetype: 'text/plain', ...metadata }
  return { type: 'NarrativeText', element_id: 'e1', text, metadata: own as Element['metadata'] }
}

const csvOf = async (elements: Element[]) => (await Array.fromAsync(toCsv(elements))).join('')

test('it quotes cells with commas, quotes and line ends, and only those', async () => {
  assert.equal(
    await csvOf([element('a, "b"', { page_number: 2 }), element('one\ntwo', {}), element(' = 1;2', {})]),
    [
      'type,element_id,text,filename,filetype,page_number',
      'NarrativeText,e1,"a, ""b""",a.txt,text/plain,2',
      'NarrativeText,e1,"one\ntwo",a.txt,text/plain,',
      'NarrativeText,e1, = 1;2,a.txt,text/plain,',
      '',
    ].join('\r\n'),
  )
})

test('it writes lists and objects as JSON, and a parser reads every text back', async () => {
  const texts = ['', '"', ',', '\r', '\n', '\r\n', '""', 'a"b', "'", '=1+1', '\u2028', '﻿x', 'true']
  const elements = texts.map((text) => element(text, { languages: ['eng', 'deu'] }))
  const [, ...rows] = parse(await csvOf(elements), { record_delimiter: '\r\n' }) as string[][]
  assert.deepEqual(
    rows.map((row) => withoutApostrophe(row[2] ?? '')),
    texts,
  )
  assert.equal(rows[0]?.at(-1), '["eng","deu"]')
})

test('it writes every row of a long list once', async () => {
  const elements = Array.from({ length: 1201 }, (_, at) => element(`row ${at}`, {}))
  const rows = parse(await csvOf(elements)) as string[][]
  assert.deepEqual(
    rows.slice(1).map((row) => row[2]),
    elements.map(({ text }) => text),
  )
})

test('it turns formulas into text, in every column', async () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r']) {
    const cell = `${start}HYPERLINK("http://x")`
    const csv = await csvOf([element(cell, { filename: cell })])
    const [, row = []] = parse(csv, { record_delimiter: '\r\n' }) as string[][]
    assert.deepEqual([row[2], row[3]], [`'${cell}`, `'${cell}`])
  }
})

test('it reads neutralized cells back with any first character', () => {
  for (const cell of ['=1', "'=1", "''-1", '+49', '-', '@ada', "'", "it's", '', 'a=1', '\tx', "O'Neil"])
    assert.equal(withoutApostrophe(neutralized(cell)), cell)
})
