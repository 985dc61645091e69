import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Canvas } from '@napi-rs/canvas'
import type { Worker } from 'tesseract.js'
import type { Item, Rule } from '../pdf/page.ts'
import { eraseLines } from '../ruled-lines.ts'
import { languageFile } from './languages.ts'

/** Less certain words are usually lines, logos or stains. */
const MIN_CONFIDENCE = 40
/** Less certain lines are usually patterns of a photo: some of their words are certain by chance. */
const MIN_LINE_CONFIDENCE = 60

let engine: { languages: string; worker: Promise<Worker> } | null = null

/** Words and ruled lines of a picture, in the units of its page. */
export async function recognise(
  canvas: Canvas,
  { languages, scale }: { languages: string[]; scale: number },
): Promise<{ items: Item[]; rules: Rule[] }> {
  const context = canvas.getContext('2d')
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height)
  const lines = eraseLines(pixels)
  if (lines.length > 0) context.putImageData(pixels, 0, 0)
  const worker = await engineFor(languages)
  const { data } = await worker.recognize(await canvas.encode('png'), {}, { blocks: true, text: false })
  const textLines = (data.blocks ?? []).flatMap((block) => block.paragraphs.flatMap((each) => each.lines))
  const items = textLines.flatMap(({ words, bbox, baseline, rowAttributes }): Item[] => {
    if (lineConfidence(words) < MIN_LINE_CONFIDENCE) return []
    const certain = words.filter(({ confidence, text }) => confidence >= MIN_CONFIDENCE && text.trim() !== '')
    const size = (rowAttributes?.rowHeight ?? bbox.y1 - bbox.y0) / scale
    return certain.map(({ text, confidence, bbox: box }) => ({
      text,
      x: box.x0 / scale,
      y: (baseline?.y1 ?? bbox.y1) / scale,
      width: (box.x1 - box.x0) / scale,
      size,
      bold: false,
      confidence: confidence / 100,
    }))
  })
  const rules = lines.map(({ vertical, x, y, length }) => ({
    vertical,
    x: x / scale,
    y: y / scale,
    length: length / scale,
  }))
  return { items, rules }
}

/** The mean of its words, by characters. */
function lineConfidence(words: { text: string; confidence: number }[]): number {
  const characters = words.reduce((sum, { text }) => sum + text.length, 0)
  return words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0) / (characters || 1)
}

export async function endRecognition(): Promise<void> {
  const current = engine
  engine = null
  // An engine that failed to start need not be terminated.
  const worker = await current?.worker.catch(() => null)
  await worker?.terminate()
}

/** Loading a language takes 1 s and 100 MB, so one engine is kept until languages change. */
async function engineFor(languages: string[]): Promise<Worker> {
  const key = languages.join('+')
  if (engine?.languages !== key) {
    await endRecognition()
    const started = { languages: key, worker: start(languages) }
    engine = started
    started.worker.catch(() => {
      if (engine === started) engine = null
    })
  }
  return engine.worker
}

/** The engine reads languages from one folder, so they are copied into a temporary one. */
async function start(languages: string[]): Promise<Worker> {
  const { createWorker, OEM } = await import('tesseract.js')
  const folder = await mkdtemp(join(tmpdir(), 'millrace-ocr-'))
  try {
    for (const code of languages) await copyFile(languageFile(code), join(folder, `${code}.traineddata.gz`))
    const ignore = () => {}
    const options = { langPath: folder, cacheMethod: 'none', logger: ignore, errorHandler: ignore }
    return await createWorker(languages, OEM.LSTM_ONLY, options)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
