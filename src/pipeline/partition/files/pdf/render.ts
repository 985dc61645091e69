import type { Canvas } from '@napi-rs/canvas'
import type { PDFPageProxy } from 'pdfjs-dist'

type Resolution = { dotsPerInch: number; maxPixels: number }

/** 9-point letters are 25 pixels high, the best size for OCR; a page has 8 megapixels. */
const FOR_OCR: Resolution = { dotsPerInch: 200, maxPixels: 12_000_000 }
/** Sharp in half a window, in 200 KB. */
export const FOR_PEOPLE: Resolution = { dotsPerInch: 110, maxPixels: 2_000_000 }
/** The canvas holds no longer side. */
const MAX_SIDE = 16_000

type RenderCanvas = NonNullable<Parameters<PDFPageProxy['render']>[0]['canvas']>
type Rendered = { canvas: Canvas; scale: number; width: number; height: number }

/** `scale` is pixels per point; `width` and `height` are in points. */
export async function renderPage(
  proxy: PDFPageProxy,
  { dotsPerInch, maxPixels }: Resolution = FOR_OCR,
): Promise<Rendered> {
  const { createCanvas } = await import('@napi-rs/canvas')
  const { width, height } = proxy.getViewport({ scale: 1 })
  const limits = [
    dotsPerInch / 72,
    Math.sqrt(maxPixels / (width * height)),
    MAX_SIDE / width,
    MAX_SIDE / height,
  ]
  const scale = Math.min(...limits)
  const viewport = proxy.getViewport({ scale })
  const canvas = createCanvas(
    Math.max(1, Math.floor(viewport.width)),
    Math.max(1, Math.floor(viewport.height)),
  )
  // Compatible with a browser canvas, but typed differently.
  const parameters = { canvas: canvas as unknown as RenderCanvas, viewport, background: 'white' }
  await proxy.render(parameters).promise
  return { canvas, scale, width, height }
}
