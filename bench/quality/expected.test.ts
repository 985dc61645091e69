import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { samplePages } from '../../test/world/sample/pages.ts'
import { type ExpectedDocument, expectedFiles, meanScores, score } from './expected.ts'

const table = '<table><tr><td>Gate</td><td>North</td></tr></table>'
const handbook: ExpectedDocument = {
  name: 'handbook.md',
  path: '/handbook.md',
  bytes: Buffer.from(''),
  filetype: 'text/markdown',
  truth: {
    words: ['Weir', 'It', 'holds', 'water.', 'Gate', 'North'],
    may: ['Page', '1'],
    headings: [[1, 'Weir']],
    tables: [table],
  },
}
const perfect = [
  { type: 'Title', text: 'Weir', depth: 1, html: null },
  { type: 'NarrativeText', text: 'It holds water.', depth: null, html: null },
  { type: 'Image', text: 'a gate in the snow', depth: null, html: null },
  { type: 'Table', text: 'Gate North', depth: null, html: table },
  { type: 'Footer', text: 'Page 1', depth: null, html: null },
]

test('it scores a complete document 1 and an incomplete one less', () => {
  const all = { recall: 1, precision: 1, order: 1, headings: 1, tables: 1 }
  assert.deepEqual(score(perfect, handbook), all)
  const plain = perfect.slice(1, 2)
  assert.deepEqual(score(plain, handbook), { recall: 1 / 2, precision: 1, order: 1, headings: 0, tables: 0 })
  assert.deepEqual(meanScores([all, { ...all, recall: 1 / 2, headings: null, tables: 0 }]), {
    ...all,
    recall: 0.75,
    tables: 0.5,
  })
})

test('it finds every expected file, and a page for every question', async () => {
  const files = await expectedFiles()
  assert.ok(files.length > 15)
  for (const { name, truth } of files) assert.ok(truth.words.length > 5, name)
  const json = await readFile(join(import.meta.dirname, 'questions.json'), 'utf8')
  const questions = JSON.parse(json) as { page: string; question: string }[]
  const titles = new Map(samplePages.map(({ slug, title }) => [slug, title]))
  for (const { page } of questions) {
    const title = titles.get(page)
    assert.ok(title, page)
    assert.equal(samplePages.filter((each) => each.title === title).length, 1, title)
  }
  assert.equal(new Set(questions.map(({ question }) => question)).size, questions.length)
})
