import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPdf } from './pdf.ts'

/** One page of 200 by 100 points. */
function pdf(content: string): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ].map((text, index) => `${index + 1} 0 obj\n${text}\nendobj\n`)
  return Buffer.from(`%PDF-1.7\n${objects.join('')}trailer\n<< /Root 1 0 R >>\n%%EOF\n`)
}

test('it drops text outside the page and keeps text that reaches into it', async () => {
  const at = (x: number, y: number, text: string) => `BT /F 10 Tf 1 0 0 1 ${x} ${y} Tm (${text}) Tj ET\n`
  const bytes = pdf(
    at(10, 50, 'Text that is visible on the page.') +
      at(300, 50, 'right of it') +
      at(-200, 50, 'left of it') +
      at(10, 120, 'above it') +
      at(10, -30, 'below it') +
      at(-4, 20, 'Reaching in'),
  )
  const file = { filename: 'a.pdf', filetype: 'application/pdf', url: '', languages: [] }
  const { blocks } = await readPdf({ ...file, bytes, strategy: 'fast' }, { progress: () => {} })
  const text = blocks.map((block) => block.text).join(' ')
  assert.equal(text, 'Text that is visible on the page. Reaching in')
})
