import assert from 'node:assert/strict'
import { test } from 'node:test'
import { text as at, pdfOf } from '../../../../../test/world/pdf.ts'
import { readPdf } from './pdf.ts'

async function blocksOf(content: string, box?: string) {
  const file = { filename: 'a.pdf', filetype: 'application/pdf', url: '', languages: [] }
  const bytes = pdfOf([{ content, ...(box ? { box } : {}) }])
  return (await readPdf({ ...file, bytes, strategy: 'fast' }, { progress: () => {} })).blocks
}

test('it drops text outside the page and keeps text that reaches into it', async () => {
  const blocks = await blocksOf(
    at(10, 50, 'Text that is visible on the page.') +
      at(300, 50, 'right of it') +
      at(-200, 50, 'left of it') +
      at(10, 120, 'above it') +
      at(10, -30, 'below it') +
      at(-4, 20, 'Reaching in'),
  )
  const text = blocks.map((block) => block.text).join(' ')
  assert.equal(text, 'Text that is visible on the page. Reaching in')
})

test('it knows where a paragraph is, also on a page with another corner or unit', async () => {
  const content = at(20, 60, 'The gate is closed at') + at(20, 48, 'four meters of water.')
  const where = async (box: string) => {
    const [block, ...others] = await blocksOf(content, box)
    assert.deepEqual(others, [])
    return block?.metadata?.box
  }
  assert.deepEqual(await where('0 0 200 100'), { left: 20, top: 31, right: 113, bottom: 55 })
  assert.deepEqual(await where('10 20 210 120'), { left: 10, top: 51, right: 103, bottom: 75 })
  const doubled = { left: 40, top: 62, right: 225, bottom: 109 }
  assert.deepEqual(await where('0 0 200 100] /UserUnit 2 /Extra [0'), doubled)
})
