import type { Element } from '../../document.ts'
import type { ModelImage, ModelRequest } from '../models/model.ts'

/** One kind of thing that a model adds to elements, element by element. */
export interface Enrichment {
  /** What it makes of one element, for messages: "the description of an image". */
  readonly what: string
  /** Null for an element that it is not for; words where it is for it and cannot be asked about it. */
  question(element: Element, prompt?: string): ModelRequest | string | null
  /** The element with the answer in its place; null for an answer that is none. */
  apply(element: Element, answer: string): Element | null
}

// Longer than any description; a model that goes round in circles is cut.
const LONGEST_ANSWER = 20_000

/** As text of ours: no markup of a chat, no length without end. */
export function plainAnswer(answer: string): string {
  return withoutFence(answer).slice(0, LONGEST_ANSWER).toWellFormed().trim()
}

/** What stands in a block of code is what was asked for, whatever is said around it. */
export function withoutFence(answer: string): string {
  return cleaned(/```[a-z]*\s*\n([\s\S]*?)```/i.exec(answer)?.[1] ?? answer).trim()
}

/** Nothing that an index or a database refuses: half characters, and controls but for tabs and new lines. */
export function cleaned(text: string): string {
  return text.toWellFormed().replaceAll(/(?![\t\n])\p{Cc}/gu, '')
}

const READ_BY_MODELS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** The types of pictures that every provider reads. */
export function isReadByModels(mime: string): boolean {
  return READ_BY_MODELS.includes(mime.toLowerCase())
}

/** Of the file itself. The strictest provider takes 5 MB; a picture that is larger has no more words in it. */
export const MOST_PICTURE_BYTES = 5_000_000

/** Null where the element has no picture of its own. */
export function pictureOf({ metadata }: Element): ModelImage | string | null {
  const { image_base64: base64, image_mime_type: mime = 'image/jpeg' } = metadata
  if (base64 === undefined) return null
  const known = mime === 'image/jpg' ? 'image/jpeg' : mime
  if (!isReadByModels(known)) return `models do not read ${mime}`
  if ((base64.length / 4) * 3 > MOST_PICTURE_BYTES) return 'models are sent pictures of up to 5 MB'
  return { mime: known, base64 }
}
