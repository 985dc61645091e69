import type { DocumentWarning, Element } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { assignElementIds } from '../element-id.ts'
import type { PartitionResult } from '../partition-result.ts'
import { FILE_TYPES } from './files/formats.ts'
import type { FileReading } from './reading/file-reading.ts'

/** A picture takes one to three seconds. */
const MAX_PICTURES = 50

type PictureContext = { files: FileReading; languages: string[] }

/** Adds the text in the pictures of a page to their elements, below the alternative text. */
export async function readPictureText(
  { elements, warnings }: PartitionResult,
  { files, languages }: PictureContext,
  signal: AbortSignal,
): Promise<PartitionResult> {
  const pictures = elements.filter(isReadable)
  const texts = new Map<Element, Pick<Element, 'text' | 'metadata'>>()
  const unread: string[] = []
  for (const picture of pictures.slice(0, MAX_PICTURES)) {
    const found = await readOne(picture, { files, languages }, signal).catch((error) => {
      if (!(error instanceof AppError) || !error.code.startsWith('document_')) throw error
      unread.push(error.message)
      return null
    })
    if (found) texts.set(picture, found)
  }
  const left = pictures.length - Math.min(pictures.length, MAX_PICTURES)
  if (left > 0) unread.push(`OCR reads the first ${MAX_PICTURES} pictures of a page`)
  const all = [...warnings, ...unreadWarning(unread, unread.length + Math.max(0, left - 1))]
  if (texts.size === 0) return { elements, warnings: all }
  const changed = elements.map((element) => ({ ...element, ...texts.get(element) }))
  return { elements: assignElementIds(changed), warnings: all }
}

function isReadable({ type, metadata: { image_base64: base64, image_mime_type: mime } }: Element): boolean {
  return type === 'Image' && base64 !== undefined && FILE_TYPES.includes(mime ?? '')
}

/** Null if the picture has no text. */
async function readOne(
  { text, metadata }: Element,
  { files, languages }: PictureContext,
  signal: AbortSignal,
): Promise<Pick<Element, 'text' | 'metadata'> | null> {
  const { image_base64 = '', image_mime_type: filetype = '', filename } = metadata
  const bytes = Buffer.from(image_base64, 'base64')
  const file = { filename: `a picture of ${filename}`, filetype, bytes, url: '', languages }
  const { elements } = await files.read({ ...file, strategy: 'hi_res' }, signal)
  const words = elements.map((element) => element.text).filter((each) => each !== '')
  if (words.length === 0) return null
  return {
    text: [text, ...words].filter((each) => each !== '').join('\n'),
    metadata: { ...metadata, partitioner_type: 'hi_res', ...meanConfidence(elements) },
  }
}

function meanConfidence(elements: Element[]): Pick<Element['metadata'], 'detection_class_prob'> {
  let [sum, characters] = [0, 0]
  for (const { text, metadata } of elements) {
    sum += text.length * (metadata.detection_class_prob ?? 0)
    characters += text.length
  }
  return { detection_class_prob: Math.round((sum / (characters || 1)) * 1000) / 1000 }
}

function unreadWarning(messages: string[], count: number): DocumentWarning[] {
  const [message] = messages.toSorted()
  return message === undefined ? [] : [{ code: 'pictures_not_read', count, message }]
}
