import type { Canvas } from '@napi-rs/canvas'
import type { PDFPageProxy } from 'pdfjs-dist'

/** 9-point letters are 25 pixels high, the best size for OCR; a page has 8 megapixels. */
const DOTS_PER_INCH = 200
const MAX_PIXELS = 12_000_000

type RenderCanvas = NonNullable<Parameters<PDFPageProxy['render']>[0]['canvas']>

/** `scale` is pixels per point. */
export async function renderPage(proxy: PDFPageProxy): Promise<{ canvas: Canvas; scale: number }> {
  const { createCanvas } = await import('@napi-rs/canvas')
  const { width, height } = proxy.getViewport({ scale: 1 })
  const scale = Math.min(DOTS_PER_INCH / 72, Math.sqrt(MAX_PIXELS / (width * height)))
  const viewport = proxy.getViewport({ scale })
  const canvas = createCanvas(
    Math.max(1, Math.floor(viewport.width)),
    Math.max(1, Math.floor(viewport.height)),
  )
  // Compatible with a browser canvas, but typed differently.
  const parameters = { canvas: canvas as unknown as RenderCanvas, viewport, background: 'white' }
  await proxy.render(parameters).promise
  return { canvas, scale }
}
