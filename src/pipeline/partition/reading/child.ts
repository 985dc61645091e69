import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Element } from '../../../document.ts'
import { AppError } from '../../../errors.ts'
import { lowerPriority } from '../../../priority.ts'
import { chunkElements } from '../../chunk/chunk-elements.ts'
import { refuseLargeElements } from '../../limits.ts'
import type { PartitionResult } from '../../partition-result.ts'
import { fileElements } from '../files/file-elements.ts'
import { openPdf } from '../files/pdf/open.ts'
import { FOR_PEOPLE, renderPage } from '../files/pdf/render.ts'
import type { FileToRead } from '../files/reading-file.ts'
import { partitionTextDocument, type TextDocument } from '../text.ts'
import { removeFolder } from './confinement.ts'
import {
  type FromReader,
  inMessages,
  LONG_MS,
  type PagePicture,
  type ReaderOutcome,
  type ReaderWork,
  type RenderedPage,
  type ToReader,
  type WatchedTask,
  type WatchOptions,
} from './protocol.ts'

/** The process that reads files. It holds no settings, secrets or connections. */
const [, , maxReuseBytes = '0', folder = ''] = process.argv
const watchOptions: WatchOptions = { parent: process.ppid, folder }
// Below the service, which answers requests meanwhile.
lowerPriority(3, process.pid)
const watch = new Worker(new URL(`watch${extname(import.meta.url)}`, import.meta.url), {
  workerData: watchOptions,
})
watch.unref()

const WARM_UP_MS = 50
let isUsed = false

process.on('exit', () => removeFolder(folder))
process.on('disconnect', () => process.exit())
process.on('message', (message: ToReader) => {
  if (message.kind === 'elements') for (const element of message.elements) received.push(element)
  else if (message.kind !== 'more') void work(message)
})
send({ kind: 'ready' })
setTimeout(warmUp, WARM_UP_MS).unref()

/** Loads what most files need, unless one waits already: the first file is then as fast as the second. */
function warmUp(): void {
  if (isUsed) return
  const text = 'The water turns the wheel of the mill.'
  readText({ body: text, title: '', filename: 'a.txt', filetype: 'text/plain', url: '' })
  const bytes = Buffer.from(`${text},${text}`)
  const file = { filename: 'a.csv', filetype: 'text/csv', url: '', bytes } as const
  void read({ ...file, strategy: 'auto', languages: [] }).catch(() => {})
}

/** The input of the next task, which arrives in parts. */
let received: Element[] = []

async function work({ maxBytes, ...task }: ReaderWork & { maxBytes: number }): Promise<void> {
  isUsed = true
  const startedAt = performance.now()
  watch.postMessage({ maxBytes } satisfies WatchedTask)
  const outcome = await outcomeOf(task).catch((error) => failure(error, task.file))
  watch.postMessage(null satisfies WatchedTask)
  report(outcome, performance.now() - startedAt)
}

async function outcomeOf(task: ReaderWork): Promise<ReaderOutcome> {
  switch (task.kind) {
    case 'pictures':
      return renderPages(task.file)
    case 'picture':
      send({ kind: 'value', value: await pagePicture(task.file, task.page) })
      return { kind: 'done', warnings: [] }
    case 'text':
      return sendElements(readText(task.file))
    case 'read':
      return sendElements(await read(task.file))
    case 'chunk': {
      const given = received
      received = []
      const elements = chunkElements(given, task.request)
      refuseLargeElements(elements, task.file.filename)
      return sendElements({ elements, warnings: [] })
    }
    case 'compute': {
      const { module, name, input } = task.task
      const functions = (await import(module)) as Record<string, (input: unknown) => unknown>
      send({ kind: 'value', value: functions[name]?.(input) })
      return { kind: 'done', warnings: [] }
    }
  }
}

async function sendElements({ elements, warnings }: PartitionResult): Promise<ReaderOutcome> {
  for (const part of inMessages(elements))
    await new Promise<void>((resolve) =>
      process.send?.({ kind: 'elements', elements: part } satisfies FromReader, undefined, {}, () =>
        resolve(),
      ),
    )
  return { kind: 'done', warnings }
}

/**
 * Refusals that are answers leave the process intact; after other failures it is replaced, and after a long file,
 * because its priority stays low.
 */
function report(outcome: ReaderOutcome, ms: number): void {
  const hasFailed =
    outcome.kind === 'failed' && outcome.code !== 'document_unsupported' && outcome.code !== 'not_found'
  const isUsedUp = ms >= LONG_MS || process.memoryUsage.rss() > Number(maxReuseBytes)
  send({ ...outcome, needsReplacement: hasFailed || isUsedUp })
}

function read(file: FileToRead): Promise<PartitionResult> {
  return fileElements(file, { progress: () => send({ kind: 'progress' }) })
}

function readText(text: TextDocument): PartitionResult {
  const elements = partitionTextDocument(text)
  refuseLargeElements(elements, text.filename)
  return { elements, warnings: [] }
}

async function renderPages(file: FileToRead): Promise<ReaderOutcome> {
  if (file.filetype !== 'application/pdf') {
    send({ kind: 'picture', picture: { page: 1, pages: 1, png: file.bytes } })
    return { kind: 'done', warnings: [] }
  }
  const pdf = await openPdf(file)
  try {
    for (let page = 1; page <= pdf.pages; page++) {
      const { canvas } = await renderPage(await pdf.page(page))
      const picture: RenderedPage = { page, pages: pdf.pages, png: await canvas.encode('png') }
      const nextMessage = once(process, 'message')
      send({ kind: 'picture', picture })
      await nextMessage
    }
    return { kind: 'done', warnings: [] }
  } finally {
    await pdf.close()
  }
}

async function pagePicture(file: FileToRead, page: number): Promise<PagePicture> {
  const pdf = await openPdf(file)
  try {
    const { pages } = pdf
    if (page > pages)
      throw new AppError(
        'not_found',
        `reading ${file.filename}: it has no page ${page}; the last is ${pages}`,
      )
    const { canvas, width, height } = await renderPage(await pdf.page(page), FOR_PEOPLE)
    return { page, pages, width, height, png: await canvas.encode('png') }
  } finally {
    await pdf.close()
  }
}

/** SearchBackend messages may quote the file, so they go to the log only. */
function failure(error: unknown, { filename }: { filename: string }): ReaderOutcome {
  const cause =
    error instanceof Error ? String((error.cause as Error | undefined)?.stack ?? error.stack) : String(error)
  if (error instanceof AppError) {
    const { code, message, fix } = error
    return { kind: 'failed', code, message, ...(fix ? { fix } : {}), cause }
  }
  const isTooDeep = error instanceof RangeError && /call stack/i.test(error.message)
  const why = isTooDeep ? 'it is nested too deeply' : 'it cannot be read'
  return { kind: 'failed', code: 'document_broken', message: `reading ${filename}: ${why}`, cause }
}

function send(message: FromReader): void {
  process.send?.(message)
}
