import type { Canvas } from '@napi-rs/canvas'
import type { PDFPageProxy } from 'pdfjs-dist'

/** Letters of nine points are about 25 dots high at this: what OCR reads best, and a page is 8 million dots. */
const DOTS_PER_INCH = 200
const MOST_PIXELS = 12_000_000

type RenderedOn = NonNullable<Parameters<PDFPageProxy['render']>[0]['canvas']>

/** A page as a picture; `scale` is how many dots a point of the page has. */
export async function renderPage(proxy: PDFPageProxy): Promise<{ canvas: Canvas; scale: number }> {
  const { createCanvas } = await import('@napi-rs/canvas')
  const { width, height } = proxy.getViewport({ scale: 1 })
  const scale = Math.min(DOTS_PER_INCH / 72, Math.sqrt(MOST_PIXELS / (width * height)))
  const viewport = proxy.getViewport({ scale })
  const canvas = createCanvas(
    Math.max(1, Math.floor(viewport.width)),
    Math.max(1, Math.floor(viewport.height)),
  )
  // A canvas of this library does what a browser's does, and has another name.
  const given = { canvas: canvas as unknown as RenderedOn, viewport, background: 'white' }
  await proxy.render(given).promise
  return { canvas, scale }
}
