/** Values of a TIFF's directory by tag; one directory is one page. */
export type TiffPage = (tag: number) => number[]

export const TIFF = {
  KIND: 254,
  WIDTH: 256,
  HEIGHT: 257,
  BITS: 258,
  COMPRESSION: 259,
  PHOTOMETRIC: 262,
  FILL_ORDER: 266,
  STRIP_OFFSETS: 273,
  ORIENTATION: 274,
  SAMPLES: 277,
  ROWS_PER_STRIP: 278,
  STRIP_LENGTHS: 279,
  X_RESOLUTION: 282,
  Y_RESOLUTION: 283,
  PLANES: 284,
  FAX_OPTIONS: 292,
  PREDICTOR: 317,
  COLORS: 320,
  TILE_WIDTH: 322,
  TILE_HEIGHT: 323,
  TILE_OFFSETS: 324,
  TILE_LENGTHS: 325,
  JPEG_TABLES: 347,
  OLD_JPEG: 513,
  OLD_JPEG_LENGTH: 514,
} as const

/** Bytes of a value, by its type: byte, text, short, long, rational and their signed forms. */
const SIZES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]
const REDUCED = 1
const MASK = 4

/** The directories form a chain, which must not return to an earlier one. Previews and masks are no pages. */
export function tiffPages(bytes: Uint8Array, maxPages: number): TiffPage[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const little = bytes[0] === 0x49
  const pages: TiffPage[] = []
  const seen = new Set<number>()
  let at = view.getUint32(4, little)
  while (at > 0 && !seen.has(at) && seen.size <= maxPages) {
    seen.add(at)
    const count = view.getUint16(at, little)
    const entries = new Map<number, number>()
    for (let index = 0; index < count; index++) {
      const entry = at + 2 + index * 12
      entries.set(view.getUint16(entry, little), entry)
    }
    const page: TiffPage = (tag) => valuesAt(view, entries.get(tag), little)
    const [kind = 0] = page(TIFF.KIND)
    if ((kind & REDUCED) === 0 && (kind & MASK) === 0) pages.push(page)
    const end = at + 2 + count * 12
    at = end + 4 <= view.byteLength ? view.getUint32(end, little) : 0
  }
  return pages
}

/** A list never has more values than the file has bytes. */
function valuesAt(view: DataView, entry: number | undefined, little: boolean): number[] {
  if (entry === undefined) return []
  const type = view.getUint16(entry + 2, little)
  const [size, count] = [SIZES[type] ?? 1, view.getUint32(entry + 4, little)]
  const start = size * count <= 4 ? entry + 8 : view.getUint32(entry + 8, little)
  if (start + size * count > view.byteLength) throw new RangeError('a value is outside the file')
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * size
    if (size === 1) return view.getUint8(at)
    if (size === 2) return view.getUint16(at, little)
    if (size === 4) return view.getUint32(at, little)
    return view.getUint32(at, little) / (view.getUint32(at + 4, little) || 1)
  })
}
