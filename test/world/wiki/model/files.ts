import { crc32, deflateSync } from 'node:zlib'
import { createRandom } from './random.ts'

/** Small files that really are of their type. Sixteen pictures suffice for a wiki. */
export function pngFile(seed: number): Buffer {
  const picture = pictures.get(seed % 16) ?? drawPicture(seed % 16)
  pictures.set(seed % 16, picture)
  return picture
}

const pictures = new Map<number, Buffer>()

function drawPicture(seed: number): Buffer {
  const size = 64
  const random = createRandom(seed)
  const [red, green, blue] = [random.int(0, 255), random.int(0, 255), random.int(0, 255)]
  const rows = Buffer.alloc(size * (1 + size * 3))
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++)
      rows.set([(red + x) & 255, (green + y) & 255, blue], y * (1 + size * 3) + 1 + x * 3)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** One page of text with a correct cross-reference table. */
export function pdfFile(lines: string[]): Buffer {
  const shown = lines.map((line) => `(${line.replaceAll(/[\\()]/g, '\\$&')}) Tj T*`).join('\n')
  const stream = `BT /F1 12 Tf 14 TL 72 760 Td\n${shown}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${Buffer.byteLength(stream)} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let out = '%PDF-1.4\n'
  const offsets = objects.map((object, at) => {
    const offset = out.length
    out += `${at + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  out += `xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${out.length}\n%%EOF\n`
  return Buffer.from(out, 'latin1')
}

/** A PDF header followed by noise. */
export function corruptPdf(seed: number): Buffer {
  const random = createRandom(seed)
  const noise = Buffer.from(Array.from({ length: 2000 }, () => random.int(0, 255)))
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), noise])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
