import { deflateSync } from 'node:zlib'
import { addDifferences, decodeRows, type RowFormat } from './tiff-decode.ts'
import { TIFF, type TiffPage } from './tiff-directory.ts'

/** A part of a page with the attributes of a PDF picture; `top` counts rows from the upper edge. */
type TiffPart = {
  left: number
  top: number
  width: number
  height: number
  data: Uint8Array
  attributes: string
}

/** Why a page cannot be read. */
export class TiffProblem extends Error {}

const [NONE, FAX_ROWS, FAX_3, FAX_4, LZW, OLD_JPEG, JPEG, DEFLATE, PACK_BITS, OLD_DEFLATE] = [
  1, 2, 3, 4, 5, 6, 7, 8, 32_773, 32_946,
]
const SIMPLE = new Map<number, RowFormat['compression']>([
  [NONE!, 'none'],
  [LZW!, 'lzw'],
  [DEFLATE!, 'deflate'],
  [OLD_DEFLATE!, 'deflate'],
  [PACK_BITS!, 'packBits'],
])
const COLOR_SPACES = new Map<number, readonly [name: string, colors: number]>([
  [0, ['DeviceGray', 1]],
  [1, ['DeviceGray', 1]],
  [2, ['DeviceRGB', 3]],
  [3, ['Indexed', 1]],
  [5, ['DeviceCMYK', 4]],
  [6, ['DeviceRGB', 3]],
])
/** More parts take minutes to draw. */
const MAX_PARTS = 20_000

/** PDF has the same fax and JPEG compressions as TIFF, so such parts are copied. Others are decoded. */
export function partsOfPage(page: TiffPage, bytes: Uint8Array): TiffPart[] {
  const format = formatOf(page)
  const { colorSpace, bits, decode, compression } = format
  const simple = SIMPLE.get(compression)
  const parts = placesOf(page).map(({ offset, length, ...place }) => {
    const data = prepare(bytes.subarray(offset, offset + length), format)
    const filter = simple ? '/Filter /FlateDecode' : filterOf(format, place)
    const attributes = `/ColorSpace ${colorSpace} /BitsPerComponent ${bits} ${decode} ${filter}`
    return { ...place, attributes, data: simple ? rowsOf(data, { ...format, ...place, simple }) : data }
  })
  if (!simple) return parts
  // A thousand strips take seconds to draw, one picture does not.
  const drawn = parts.every(({ left }) => left === 0) ? [joined(parts)] : parts
  // A hundred decoded pages would fill the memory.
  return drawn.map((part) => ({ ...part, data: deflateSync(part.data, { level: 1 }) }))
}

function rowsOf(
  data: Uint8Array,
  {
    simple,
    bits,
    samples,
    predictor,
    width,
    height,
  }: Format & { simple: RowFormat['compression']; width: number; height: number },
): Uint8Array {
  const rowBytes = Math.ceil((width * bits * samples) / 8)
  const decoded = decodeRows(data, { compression: simple, rowBytes, rows: height })
  if (predictor === 2) addDifferences(decoded, rowBytes, samples)
  return decoded
}

function joined(parts: TiffPart[]): TiffPart {
  const height = parts.reduce((sum, part) => sum + part.height, 0)
  return { ...parts[0]!, height, data: Buffer.concat(parts.map(({ data }) => data)) }
}

type Format = {
  compression: number
  photometric: number
  bits: number
  samples: number
  colorSpace: string
  decode: string
  predictor: number
  faxOptions: number
  isReversed: boolean
  jpegTables: number[]
}

function formatOf(page: TiffPage): Format {
  const one = (tag: number, fallback: number) => page(tag)[0] ?? fallback
  const compression = one(TIFF.COMPRESSION, NONE!)
  const photometric = one(TIFF.PHOTOMETRIC, 0)
  const samples = one(TIFF.SAMPLES, 1)
  const bits = one(TIFF.BITS, 1)
  const predictor = one(TIFF.PREDICTOR, 1)
  const [name = '', colors = 0] = COLOR_SPACES.get(photometric) ?? []
  const isJpeg = compression === JPEG || compression === OLD_JPEG
  if (!name || (photometric === 6 && !isJpeg))
    throw new TiffProblem(`its colors (${photometric}) are not supported`)
  if (![1, 2, 4, 8].includes(bits)) throw new TiffProblem(`${bits} bits per color are not supported`)
  if (predictor > 2 || (predictor === 2 && bits !== 8))
    throw new TiffProblem(`its predictor (${predictor}) is not supported`)
  if (one(TIFF.PLANES, 1) !== 1 && samples > 1)
    throw new TiffProblem('separate color planes are not supported')
  const isFax = compression >= FAX_ROWS! && compression <= FAX_4!
  return {
    compression,
    photometric,
    bits,
    samples,
    colorSpace: withExtraSamples(
      name === 'Indexed' ? palette(page, bits) : `/${name}`,
      samples - colors,
      colors,
    ),
    decode: photometric === 0 && !isFax && !isJpeg ? '/Decode [1 0]' : '',
    predictor,
    faxOptions: one(TIFF.FAX_OPTIONS, 0),
    isReversed: one(TIFF.FILL_ORDER, 1) === 2,
    jpegTables: page(TIFF.JPEG_TABLES),
  }
}

function palette(page: TiffPage, bits: number): string {
  const values = page(TIFF.COLORS)
  const count = 1 << bits
  if (values.length < count * 3) throw new TiffProblem('its palette is missing')
  const hex = (value: number) => (value >>> 8).toString(16).padStart(2, '0')
  const colors = Array.from({ length: count }, (_, at) =>
    [values[at]!, values[at + count]!, values[at + 2 * count]!].map(hex).join(''),
  )
  return `[/Indexed /DeviceRGB ${count - 1} <${colors.join('')}>]`
}

/** Samples after the colors, such as transparency, are dropped by a function. */
function withExtraSamples(colorSpace: string, extra: number, colors: number): string {
  if (extra <= 0) return colorSpace
  if (extra > 4 || !colorSpace.startsWith('/')) throw new TiffProblem('its extra samples are not supported')
  const names = Array.from({ length: colors + extra }, (_, at) => `/C${at}`).join(' ')
  return `[/DeviceN [${names}] ${colorSpace} ${DROP_FUNCTIONS.get(colors)![extra - 1]} 0 R]`
}

/** Object numbers of the functions that drop one to four samples after 1, 3 or 4 colors. */
export const DROP_FUNCTIONS = new Map([
  [1, [3, 4, 5, 6]],
  [3, [7, 8, 9, 10]],
  [4, [11, 12, 13, 14]],
])

function placesOf(
  page: TiffPage,
): { left: number; top: number; width: number; height: number; offset: number; length: number }[] {
  const [width = 0] = page(TIFF.WIDTH)
  const [height = 0] = page(TIFF.HEIGHT)
  const [oldJpeg] = page(TIFF.OLD_JPEG)
  if (page(TIFF.COMPRESSION)[0] === OLD_JPEG) {
    const [length] = page(TIFF.OLD_JPEG_LENGTH)
    if (!oldJpeg || !length) throw new TiffProblem('its form of JPEG is not supported')
    return [{ left: 0, top: 0, width, height, offset: oldJpeg, length }]
  }
  const [tileWidth] = page(TIFF.TILE_WIDTH)
  const partWidth = tileWidth ?? width
  const partHeight =
    (tileWidth ? page(TIFF.TILE_HEIGHT)[0] : Math.min(page(TIFF.ROWS_PER_STRIP)[0] ?? height, height)) ?? 0
  const offsets = page(tileWidth ? TIFF.TILE_OFFSETS : TIFF.STRIP_OFFSETS)
  const lengths = page(tileWidth ? TIFF.TILE_LENGTHS : TIFF.STRIP_LENGTHS)
  if (partWidth < 1 || partHeight < 1 || offsets.length === 0) throw new RangeError('no parts')
  if (partWidth * partHeight > 2 * width * height + 1_000_000) throw new RangeError('a tile exceeds the page')
  const across = Math.ceil(width / partWidth)
  const count = Math.min(offsets.length, across * Math.ceil(height / partHeight))
  if (count > MAX_PARTS) throw new TiffProblem(`it has more than ${MAX_PARTS} strips`)
  return offsets.slice(0, count).map((offset, index) => {
    const top = Math.floor(index / across) * partHeight
    return {
      left: (index % across) * partWidth,
      top,
      width: partWidth,
      height: tileWidth ? partHeight : Math.min(partHeight, height - top),
      offset,
      length: lengths[index] ?? Number.POSITIVE_INFINITY,
    }
  })
}

function filterOf(
  { compression, photometric, faxOptions }: Format,
  { width, height }: { width: number; height: number },
): string {
  const fax = (parameters: string) =>
    `/Filter /CCITTFaxDecode /DecodeParms << ${parameters} /Columns ${width} /Rows ${height} /EndOfBlock false /BlackIs1 ${photometric === 1} >>`
  if (compression === FAX_ROWS) return fax('/K 0 /EncodedByteAlign true')
  if (compression === FAX_3) return fax(`/K ${faxOptions & 1} /EndOfLine true`)
  if (compression === FAX_4) return fax('/K -1')
  if (compression === OLD_JPEG) return '/Filter /DCTDecode'
  if (compression === JPEG)
    return `/Filter /DCTDecode /DecodeParms << /ColorTransform ${photometric === 6 ? 1 : 0} >>`
  throw new TiffProblem(`its compression (${compression}) is not supported`)
}

function prepare(data: Uint8Array, { compression, isReversed, jpegTables }: Format): Uint8Array {
  if (compression === JPEG && jpegTables.length > 4)
    // The tables end with a mark, and the strip begins with one.
    return Buffer.concat([Uint8Array.from(jpegTables.slice(0, -2)), data.subarray(2)])
  if (compression === LZW && data[0] === 0 && ((data[1] ?? 0) & 1) === 1)
    throw new TiffProblem('its old form of LZW is not supported')
  return isReversed && compression !== JPEG && compression !== OLD_JPEG
    ? data.map((byte) => REVERSED[byte]!)
    : data
}

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2),
)
