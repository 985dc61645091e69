import { AppError } from '../../../../errors.ts'
import { MAX_PAGES } from '../pdf/open.ts'
import { readPdf } from '../pdf/pdf.ts'
import type { FileToRead, ReadFile, ReadingContext } from '../reading-file.ts'
import { skippedFile } from '../refusals.ts'
import { brokenPicture, countPixels, refuseFast } from './picture.ts'
import { TIFF, type TiffPage, tiffPages } from './tiff-directory.ts'
import { DROP_FUNCTIONS, partsOfPage, TiffProblem } from './tiff-image.ts'

/** The scale at which pages are drawn for OCR: one pixel of the picture is one of the drawing. */
const POINTS_PER_PIXEL = 72 / 200
const FIRST_OBJECT = 15

/** A scan with one or more pages, read like a scanned PDF. */
export const readTiff: ReadFile = async (file, context) => {
  refuseFast(file)
  return readPdf({ ...file, bytes: tiffToPdf(file, context) }, context)
}

/** A PDF with the same pictures. Fax and JPEG stay as they are. */
export function tiffToPdf(
  { bytes, filename }: Pick<FileToRead, 'bytes' | 'filename'>,
  { progress }: Pick<ReadingContext, 'progress'>,
): Uint8Array {
  try {
    return pdfOf(tiffPages(bytes, MAX_PAGES), { bytes, filename, progress })
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    if (cause instanceof TiffProblem) throw skippedFile(filename, cause.message)
    throw brokenPicture(filename, cause)
  }
}

function pdfOf(
  pages: TiffPage[],
  { bytes, filename, progress }: { bytes: Uint8Array; filename: string; progress(): void },
): Uint8Array {
  if (pages.length === 0) throw brokenPicture(filename)
  const pieces: Uint8Array[] = [Buffer.from('%PDF-1.7\n')]
  const offsets = new Map<number, number>()
  let [length, next] = [9, FIRST_OBJECT]
  const add = (number: number, head: string, data?: Uint8Array) => {
    offsets.set(number, length)
    const stream = data
      ? [
          Buffer.from(`${head.slice(0, -2)} /Length ${data.length} >>\nstream\n`),
          data,
          Buffer.from('\nendstream'),
        ]
      : [Buffer.from(head)]
    for (const piece of [Buffer.from(`${number} 0 obj\n`), ...stream, Buffer.from('\nendobj\n')]) {
      pieces.push(piece)
      length += piece.length
    }
    return number
  }
  for (const [colors, numbers] of DROP_FUNCTIONS)
    for (const [extra, number] of numbers.entries()) add(number, ...dropFunction(colors, extra + 1))
  const kids = pages.map((page) => {
    progress()
    const { matrix, box } = pageBox(page, filename)
    const parts = partsOfPage(page, bytes).map(({ data, attributes, ...part }) => {
      const head = `<< /Type /XObject /Subtype /Image /Width ${part.width} /Height ${part.height} ${attributes} >>`
      return { ...part, number: add(next++, head, data) }
    })
    const [, height = 0] = [0, page(TIFF.HEIGHT)[0]]
    const drawing = parts.map(
      (part) =>
        `q ${part.width} 0 0 ${part.height} ${part.left} ${height - part.top - part.height} cm /P${part.number} Do Q\n`,
    )
    const content = add(next++, '<< >>', Buffer.from(`${matrix} cm\n${drawing.join('')}`))
    const resources = parts.map(({ number }) => `/P${number} ${number} 0 R`).join(' ')
    return add(
      next++,
      `<< /Type /Page /Parent 2 0 R ${box} /Contents ${content} 0 R /Resources << /XObject << ${resources} >> >> >>`,
    )
  })
  add(2, `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`)
  add(1, '<< /Type /Catalog /Pages 2 0 R >>')
  const entries = Array.from(
    { length: next - 1 },
    (_, at) => `${String(offsets.get(at + 1)).padStart(10, '0')} 00000 n \n`,
  )
  const table = `xref\n0 ${next}\n0000000000 65535 f \n${entries.join('')}`
  pieces.push(Buffer.from(`${table}trailer\n<< /Size ${next} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`))
  return Buffer.concat(pieces)
}

function dropFunction(colors: number, extra: number): [head: string, program: Uint8Array] {
  const range = (count: number) => `[${'0 1 '.repeat(count)}]`
  return [
    `<< /FunctionType 4 /Domain ${range(colors + extra)} /Range ${range(colors)} >>`,
    Buffer.from(`{ ${'pop '.repeat(extra)}}`),
  ]
}

/** Turns the page as its orientation says; fax pixels are higher than wide. */
function pageBox(page: TiffPage, filename: string): { matrix: string; box: string } {
  const [width = 0] = page(TIFF.WIDTH)
  const [height = 0] = page(TIFF.HEIGHT)
  countPixels({ width, height }, filename)
  const [horizontal = 1] = page(TIFF.X_RESOLUTION)
  const [vertical = 1] = page(TIFF.Y_RESOLUTION)
  const ratio = horizontal > 0 && vertical > 0 ? horizontal / vertical : 1
  const stretch = ratio > 1.1 && ratio < 3 ? ratio : 1
  const [x, y] = [POINTS_PER_PIXEL, POINTS_PER_PIXEL * stretch]
  const rotate =
    new Map([
      [3, 180],
      [6, 90],
      [8, 270],
    ]).get(page(TIFF.ORIENTATION)[0] ?? 1) ?? 0
  return {
    matrix: `${x} 0 0 ${y} 0 0`,
    box: `/MediaBox [0 0 ${width * x} ${height * y}] /Rotate ${rotate}`,
  }
}
