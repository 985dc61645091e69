import { constants, inflateSync } from 'node:zlib'

/** Rows of a strip or tile; missing ones are empty. */
export type RowFormat = {
  compression: 'none' | 'lzw' | 'deflate' | 'packBits'
  rowBytes: number
  rows: number
}

/** Decodes simple compressions, never into more bytes than the rows have. */
export function decodeRows(data: Uint8Array, { compression, rowBytes, rows }: RowFormat): Uint8Array {
  const decoded = new Uint8Array(rowBytes * rows)
  if (compression === 'none') decoded.set(data.subarray(0, decoded.length))
  else if (compression === 'lzw') decodeLzw(data, decoded)
  else if (compression === 'packBits') decodePackBits(data, decoded)
  else decoded.set(inflate(data, decoded.length).subarray(0, decoded.length))
  return decoded
}

/** A part that ends early keeps its first rows. */
function inflate(data: Uint8Array, length: number): Uint8Array {
  return inflateSync(data, { maxOutputLength: length + 65_536, finishFlush: constants.Z_SYNC_FLUSH })
}

/** Adds the sample to its left to each sample of 8 bits. */
export function addDifferences(decoded: Uint8Array, rowBytes: number, samples: number): void {
  for (let row = 0; row < decoded.length; row += rowBytes)
    for (let at = row + samples; at < row + rowBytes; at++) decoded[at]! += decoded[at - samples]!
}

function decodePackBits(data: Uint8Array, into: Uint8Array): void {
  let [at, out] = [0, 0]
  while (at < data.length && out < into.length) {
    const count = data[at++]!
    if (count < 128) {
      into.set(data.subarray(at, at + Math.min(count + 1, into.length - out)), out)
      at += count + 1
      out += count + 1
    } else if (count > 128) {
      into.fill(data[at++] ?? 0, out, out + 257 - count)
      out += 257 - count
    }
  }
}

const [CLEAR, END, FIRST] = [256, 257, 258] as const

/** Codes of 9 to 12 bits; each new one is an earlier one and the next byte, so it is a place in the output. */
function decodeLzw(data: Uint8Array, into: Uint8Array): void {
  const starts = new Int32Array(4096)
  const lengths = new Int32Array(4096)
  let [bits, held, at, out, next, width] = [0, 0, 0, 0, FIRST as number, 9]
  while (out < into.length) {
    for (; held < width && at < data.length; held += 8) bits = ((bits << 8) | data[at++]!) & 0xffffff
    if (held < width) return
    held -= width
    const code = (bits >>> held) & ((1 << width) - 1)
    if (code === END) return
    if (code === CLEAR) {
      ;[next, width] = [FIRST, 9]
      continue
    }
    if (code >= next) throw new RangeError('a code is unknown')
    const start = out
    if (code < CLEAR) into[out++] = code
    // The newest code ends with the byte that it begins with, which is already written.
    else for (let index = 0; index < lengths[code]!; index++) into[out++] = into[starts[code]! + index]!
    if (next === 4096) continue
    starts[next] = start
    lengths[next] = out - start + 1
    next++
    if (next === 1 << width && width < 12) width++
  }
}
