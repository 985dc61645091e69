import type { Canvas } from '@napi-rs/canvas'
import type { AppError } from '../../../../errors.ts'
import { pageBlocks } from '../pdf/page-blocks.ts'
import type { FileToRead, ReadFile } from '../reading-file.ts'
import { brokenFile, skippedFile, tooLargeFile } from '../refusals.ts'
import { recognise } from './ocr.ts'
import { pictureSize } from './picture-size.ts'

/** 100 megapixels take 400 MB decoded. */
const MAX_PIXELS = 100_000_000
/** Icon size, too small for a line of text. */
const MIN_PIXELS = 10_000
/** More pixels do not help OCR; enlarging small pictures does. */
const MAX_OCR_PIXELS = 12_000_000
const MIN_OCR_PIXELS = 1_000_000

/** The text of a picture, by OCR. */
export const readPicture: ReadFile = async (file) => {
  refuseFast(file)
  if (pixelsOf(file) < MIN_PIXELS) return { blocks: [], warnings: [] }
  const { canvas, scale } = await prepareCanvas(file)
  const found = await recognise(canvas, { languages: file.languages, scale })
  const [width, height] = [canvas.width / scale, canvas.height / scale]
  const page = { number: 1, width, height, ...found, links: [], scanned: true as const }
  return { blocks: pageBlocks([page], file), warnings: [] }
}

function pixelsOf({ bytes, filename }: FileToRead): number {
  return countPixels(pictureSize(bytes) ?? { width: 0, height: 0 }, filename)
}

export function countPixels({ width, height }: { width: number; height: number }, filename: string): number {
  const pixels = width * height
  if (pixels === 0) throw brokenPicture(filename)
  if (pixels <= MAX_PIXELS) return pixels
  const megapixels = Math.round(pixels / 1_000_000)
  throw tooLargeFile(
    filename,
    `it has ${megapixels} megapixels; 100 are the limit`,
    'Make the picture smaller',
  )
}

/** Draws the picture on white, scaled to a size that suits OCR. */
async function prepareCanvas({ bytes, filename }: FileToRead): Promise<{ canvas: Canvas; scale: number }> {
  const { createCanvas, loadImage } = await import('@napi-rs/canvas')
  const image = await loadImage(Buffer.from(bytes)).catch((cause) => {
    throw brokenPicture(filename, cause)
  })
  // The decoded size may differ from the header.
  const pixels = countPixels(image, filename)
  const scale = pixels > MAX_OCR_PIXELS ? Math.sqrt(MAX_OCR_PIXELS / pixels) : pixels < MIN_OCR_PIXELS ? 2 : 1
  const [width, height] = [Math.ceil(image.width * scale), Math.ceil(image.height * scale)]
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = 'white'
  context.fillRect(0, 0, width, height)
  context.drawImage(image, 0, 0, width, height)
  return { canvas, scale }
}

export function refuseFast({ strategy, filename }: FileToRead): void {
  if (strategy !== 'fast') return
  throw skippedFile(filename, 'strategy fast does not read pictures', 'Use auto or hi_res')
}

export function brokenPicture(filename: string, cause?: unknown): AppError {
  return brokenFile(filename, 'not a readable picture', cause)
}
