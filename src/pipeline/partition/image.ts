import type { ElementMetadata } from '../../document.ts'
import type { Attributes } from './markup.ts'
import { absoluteAddress, collapse } from './running-text.ts'

export type Image = {
  text: string
  metadata: Pick<ElementMetadata, 'image_url' | 'image_base64' | 'image_mime_type'>
}

/** 5 MB in base64, a source's highest limit; larger images keep only their address. */
const MAX_BASE64_LENGTH = 6_700_000

/** An image with a text, a file name or embedded data; null for others. */
export function readImage(attributes: Attributes, base: string | undefined): Image | null {
  if (isSpacer(attributes)) return null
  const source = attributes.src ?? attributes['data-image-src'] ?? ''
  const text = collapse(
    attributes.alt || attributes['data-linked-resource-default-alias'] || attributes.title || '',
  )
  const embedded = source.startsWith('data:') ? readDataUri(source) : null
  if (text === '' && !embedded) return null
  if (embedded) return { text, metadata: embedded }
  const url = absoluteAddress(source, base)
  return { text, metadata: url ? { image_url: url } : {} }
}

/** Tracking pixels and spacers. */
function isSpacer({ width, height }: Attributes): boolean {
  return [width, height].some((size) => size !== undefined && /^[01](?:px)?$/.test(size.trim()))
}

function readDataUri(source: string): Image['metadata'] | null {
  const comma = source.indexOf(',')
  const head = /^data:(image\/[a-z0-9.+-]+);base64$/i.exec(source.slice(0, Math.min(comma, 100)))
  if (!head?.[1] || source.length - comma > MAX_BASE64_LENGTH) return null
  const base64 = source.slice(comma + 1).replace(/\s+/g, '')
  if (base64 === '' || /[^a-z0-9+/=]/i.test(base64)) return null
  return { image_base64: base64, image_mime_type: head[1].toLowerCase() }
}
