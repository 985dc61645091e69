import type { Element } from '../../document.ts'
import type { ModelImage, ModelRequest } from '../models/model.ts'

/** Something a model adds to elements, one at a time. */
export interface Enrichment {
  /** Its result, for messages: "the description of an image". */
  readonly what: string
  /** The request for an element; null if the enrichment does not apply. A text says why it is not possible. */
  request(element: Element, prompt?: string): ModelRequest | string | null
  /** The element with the answer; null if the answer is unusable. */
  apply(element: Element, answer: string): Element | null
}

// Longer than any description; stops models that repeat themselves.
const MAX_ANSWER_LENGTH = 20_000

/** Plain text without chat markup, limited in length. */
export function plainAnswer(answer: string): string {
  return withoutCodeFence(answer).slice(0, MAX_ANSWER_LENGTH).toWellFormed().trim()
}

/** Takes the first code block and drops the text around it. */
export function withoutCodeFence(answer: string): string {
  return withoutControls(/```[a-z]*\s*\n([\s\S]*?)```/i.exec(answer)?.[1] ?? answer).trim()
}

/** Removes what an index or database rejects: lone surrogates, and controls except tab and newline. */
export function withoutControls(text: string): string {
  return text.toWellFormed().replaceAll(/(?![\t\n])\p{Cc}/gu, '')
}

const READ_BY_MODELS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** The image types that every provider reads. */
export function isReadByModels(mime: string): boolean {
  return READ_BY_MODELS.includes(mime.toLowerCase())
}

/** File size. The strictest provider takes 5 MB. */
export const MAX_PICTURE_BYTES = 5_000_000

/** Null if the element has no picture. */
export function pictureOf({ metadata }: Element): ModelImage | string | null {
  const { image_base64: base64, image_mime_type: mime = 'image/jpeg' } = metadata
  if (base64 === undefined) return null
  const known = mime === 'image/jpg' ? 'image/jpeg' : mime
  if (!isReadByModels(known)) return `models do not read ${mime}`
  if ((base64.length / 4) * 3 > MAX_PICTURE_BYTES) return 'the picture is larger than 5 MB'
  return { mime: known, base64 }
}
