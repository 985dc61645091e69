type Page = { content?: string; box?: string }

/** A PDF with the font F; a page is 200 by 100 points. `text` draws at a baseline from the lower left corner. */
export function pdfOf(pages: Page[]): Buffer {
  const numbers = pages.map((_, index) => 4 + 2 * index)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap(({ content = '', box = '0 0 200 100' }, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents ${5 + 2 * index} 0 R /Resources << /Font << /F 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ].map((text, index) => `${index + 1} 0 obj\n${text}\nendobj\n`)
  return Buffer.from(`%PDF-1.7\n${objects.join('')}trailer\n<< /Root 1 0 R >>\n%%EOF\n`)
}

/** The same with a password that is not empty. */
export function lockedPdf(): Buffer {
  const key = `<${'ab'.repeat(32)}>`
  const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >> /ID [<00> <00>]`
  return Buffer.from(pdfOf([{}]).toString().replace('/Root', `${lock} /Root`))
}

export function text(x: number, y: number, words: string, size = 10): string {
  return `BT /F ${size} Tf 1 0 0 1 ${x} ${y} Tm (${words}) Tj ET\n`
}
