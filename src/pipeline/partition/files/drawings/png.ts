import { inflateSync } from 'node:zlib'
import type { ReadFile } from '../reading-file.ts'
import { readDrawioXml } from './drawio.ts'
import { MAX_EXPANDED_BYTES } from './mxfile.ts'

/** The diagram that draw.io puts into a PNG; other pictures by OCR. */
export const readPng: ReadFile = async (file, context) => {
  const diagram = diagramOf(file.bytes)
  if (diagram) return readDrawioXml(diagram, file)
  const { readPicture } = await import('../ocr/picture.ts')
  return readPicture(file, context)
}

const KEYWORDS = new Set(['mxfile', 'mxGraphModel'])

function diagramOf(bytes: Uint8Array): string | null {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 8; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    const data = png.subarray(at + 8, at + 8 + length)
    // The diagram comes before the pixels.
    if (type === 'IDAT' || data.length < length) return null
    const end = type === 'tEXt' || type === 'zTXt' ? data.indexOf(0) : -1
    if (end > 0 && KEYWORDS.has(data.toString('latin1', 0, end)))
      return decoded(type === 'tEXt' ? data.subarray(end + 1) : unpacked(data.subarray(end + 2)))
    at += 12 + length
  }
  return null
}

function unpacked(data: Buffer): Buffer {
  try {
    return inflateSync(data, { maxOutputLength: MAX_EXPANDED_BYTES })
  } catch {
    return Buffer.alloc(0)
  }
}

/** A diagram that cannot be decoded leaves the picture. */
function decoded(data: Buffer): string | null {
  const text = data.toString()
  try {
    const xml = text.startsWith('<') ? text : decodeURIComponent(text)
    return xml.startsWith('<') ? xml : null
  } catch {
    return null
  }
}
