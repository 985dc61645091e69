import { createRandom } from './random.ts'

/** File bytes: in memory, or generated while sending so that a 2 GB file needs no memory. */
export type FileBody = Buffer | { size: number; mediaType: string }

export const sizeOf = (body: FileBody): number => (Buffer.isBuffer(body) ? body.length : body.size)

const pieceSize = 65_536

/** The first `length` bytes in 64 KB pieces; always the same for the same file. */
export function* piecesOf(body: FileBody, length = sizeOf(body)): Generator<Buffer> {
  if (Buffer.isBuffer(body)) {
    for (let at = 0; at < length; at += pieceSize) yield body.subarray(at, Math.min(at + pieceSize, length))
    return
  }
  const filler = fillerOf(body.mediaType)
  const signature = signatures[body.mediaType] ?? ''
  const first = Buffer.concat([Buffer.from(signature, 'latin1'), filler]).subarray(0, pieceSize)
  for (let at = 0; at < length; at += pieceSize)
    yield (at === 0 ? first : filler).subarray(0, Math.min(pieceSize, length - at))
}

// Enough bytes to detect the file type.
const signatures: Record<string, string> = {
  'application/pdf': '%PDF-1.7\n',
  'application/zip': 'PK\u0003\u0004',
  'image/png': '\u0089PNG\r\n\u001a\n\0\0\0\rIHDR',
  'image/jpeg': '\u00ff\u00d8\u00ff\u00e0\0\u0010JFIF\0',
  'video/mp4': '\0\0\0\u0018ftypmp42',
}

const fillers = new Map<'text' | 'noise', Buffer>()

function fillerOf(mediaType: string): Buffer {
  const kind = mediaType.startsWith('text/') ? 'text' : 'noise'
  const filler = fillers.get(kind) ?? makeFiller(kind)
  fillers.set(kind, filler)
  return filler
}

function makeFiller(kind: 'text' | 'noise'): Buffer {
  if (kind === 'text')
    return Buffer.alloc(pieceSize, 'A line of a file that goes on for longer than anybody reads.\n')
  const random = createRandom(7)
  return Buffer.from(Uint8Array.from({ length: pieceSize }, () => random.int(0, 255)))
}
