import type { ElementMetadata } from '../../document.ts'
import type { Attributes } from './markup.ts'
import { absoluteAddress, collapse } from './running-text.ts'
import { MAX_ATTRIBUTE_LENGTH } from './visible.ts'

/** `name` is its text, else its file name. */
export type Image = {
  text: string
  name: string
  metadata: Pick<ElementMetadata, 'image_url' | 'image_base64' | 'image_mime_type'>
}

/** 5 MB in base64, a source's highest limit; larger images keep only their address. */
const MAX_BASE64_LENGTH = 6_700_000

/** An image with a text, a file name or embedded data; null for others and for decoration. */
export function readImage(
  attributes: Attributes,
  page: { url: string | undefined; inCell: boolean },
): Image | null {
  const { src: source = '', 'data-image-src': original, alt = '', title = '' } = attributes
  const address = original ?? (source.startsWith('data:') ? '' : source)
  if (isSpacer(attributes) || isDecoration(attributes, address)) return null
  // In a cell, a small picture may be the value, such as "yes".
  if (!page.inCell && isIconSize(attributes)) return null
  const alias = attributes['data-linked-resource-default-alias'] ?? ''
  const names = [alias, fileName(address)]
  const typed = [alt, title].map(collapse).filter((text) => text !== '')
  const text = typed.find((each) => !isFileName(each, names)) ?? ''
  const name = text || typed[0] || alias
  const embedded = source.startsWith('data:') ? readDataUri(source) : null
  if (name === '' && !embedded) return null
  const url = address === '' ? null : absoluteAddress(address, page.url)
  if (text === '' && !embedded && !url) return null
  return { text, name, metadata: { ...embedded, ...(url ? { image_url: url } : {}) } }
}

/** Editors fill in the name of the file. */
function isFileName(text: string, names: string[]): boolean {
  const name = fileName(text)
  return PICTURE_EXTENSION.test(name) && (names.includes(name) || !/\s/.test(text))
}

const PICTURE_EXTENSION = /\.(?:png|jpe?g|jfif|gif|svg|webp|avif|heic|bmp|tiff?|ico)$/i

/** The last part of a path, without its query. */
function fileName(path: string): string {
  const last = path.split(/[?#]/, 1)[0]?.split(/[/\\]/).at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** Tracking pixels and spacers. */
function isSpacer({ width, height }: Attributes): boolean {
  return [width, height].some((size) => size !== undefined && /^[01](?:px)?$/.test(size.trim()))
}

function isIconSize({ width, height }: Attributes): boolean {
  return [width, height].every((size) => size !== undefined && ICON_SIZE.test(size.trim()))
}

const ICON_SIZE = /^(?:[12]?\d|3[0-2])(?:px)?$/

/** Marked as decoration, an icon or logo, a button of a manual, or a mark for text browsers such as `[Note]`. */
function isDecoration(
  { alt = '', role, class: classes = '', ...attributes }: Attributes,
  address: string,
): boolean {
  if (role === 'presentation' || role === 'none' || attributes['aria-hidden'] === 'true') return true
  if (DECORATIVE_TEXT.test(alt.slice(0, MAX_ATTRIBUTE_LENGTH).trim())) return true
  return (
    ICON_CLASS.test(classes.slice(0, MAX_ATTRIBUTE_LENGTH)) ||
    /(?:^|\/)icons?\//i.test(address.slice(0, MAX_ATTRIBUTE_LENGTH))
  )
}

const DECORATIVE_TEXT =
  /^(?:\[[^[\]]{1,40}\]|(?:[\w.-]{1,30} ){0,3}logo|[<«‹←\s]{0,4}(?:prev(?:ious)?|next|up|home|top|contents|toc|index)[>»›→\s]{0,4})$/i
const ICON_CLASS = /(?:^|[\s_-])(?:icon|logo)(?:[\s_-]|$)/i

function readDataUri(source: string): Image['metadata'] | null {
  const comma = source.indexOf(',')
  const head = /^data:(image\/[a-z0-9.+-]+);base64$/i.exec(source.slice(0, Math.min(comma, 100)))
  if (!head?.[1] || source.length - comma > MAX_BASE64_LENGTH) return null
  const base64 = source.slice(comma + 1).replace(/\s+/g, '')
  if (base64 === '' || /[^a-z0-9+/=]/i.test(base64)) return null
  return { image_base64: base64, image_mime_type: head[1].toLowerCase() }
}
