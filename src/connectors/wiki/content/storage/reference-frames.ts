import { imagePlace } from '../image-positions.ts'
import { quoteAttribute } from './entities.ts'
import type { Frame, Frames } from './frames.ts'
import { isSamePage, type LinkTarget, linkTargetOf, type OwnPage, type UserRef } from './links.ts'
import type { StorageAttributes } from './reader.ts'
import type { PageImage } from './rendition.ts'

export type NameOf = (user: UserRef) => string | null

type OpenLink = { target: LinkTarget | null; anchor: string; visible: number }

/** Links and images with their targets. */
export class ReferenceFrames {
  readonly #frames: Frames
  readonly #page: OwnPage
  readonly #nameOf: NameOf
  readonly #owners: (OpenLink | PageImage)[] = []

  constructor(frames: Frames, page: OwnPage, nameOf: NameOf) {
    this.#frames = frames
    this.#page = page
    this.#nameOf = nameOf
  }

  link(name: string, attributes: StorageAttributes): Frame {
    const { visible } = this.#frames.writer
    const link: OpenLink = { target: null, anchor: attributes['ac:anchor'] ?? '', visible }
    this.#owners.push(link)
    const onClose = () => {
      this.#owners.pop()
      // Reports only names that would be shown.
      if (this.#frames.writer.visible === visible) this.#frames.text(this.#textOf(link))
      if (hrefOf(link.target)) this.#frames.tag('</a>')
    }
    return { name, onClose }
  }

  image(name: string, attributes: StorageAttributes): Frame {
    const image: PageImage = {
      place: { kind: 'other' },
      src: null,
      alt: attributes['ac:alt'] ?? '',
      title: attributes['ac:title'] ?? '',
      width: attributes['ac:width'] ?? '',
      height: attributes['ac:height'] ?? '',
    }
    this.#frames.writer.image(image)
    this.#owners.push(image)
    return { name, onClose: () => void this.#owners.pop() }
  }

  /** An image in plain HTML, as on old pages. */
  typedImage(name: string, { src = '', alt = '', title = '', ...rest }: StorageAttributes): Frame {
    const { width = '', height = '' } = rest
    const place = imagePlace({ kind: 'url', url: src }, this.#page)
    this.#frames.writer.image({ ...place, alt, title, width, height })
    return { name }
  }

  resource(name: string, attributes: StorageAttributes): Frame {
    const owner = this.#owners.at(-1)
    if (owner && 'place' in owner) this.#setImageTarget(owner, name, attributes)
    else if (owner && !this.#frames.innermost.startsWith('ri:')) {
      const target = linkTargetOf(name, attributes, this.#page)
      if (target && !owner.target) this.#setLinkTarget(owner, target)
    }
    return { name }
  }

  /** The title, file name or URL of a resource. */
  labelOf(name: string, attributes: StorageAttributes): string {
    const target = linkTargetOf(name, attributes, this.#page)
    return target && target.kind !== 'user' ? this.#textOf({ target, anchor: '', visible: 0 }) : ''
  }

  #setImageTarget(image: PageImage, name: string, attributes: StorageAttributes): void {
    // A page inside a file's reference is the file's page.
    const isInside = this.#frames.innermost.startsWith('ri:')
    if (!isInside) Object.assign(image, imagePlace(linkTargetOf(name, attributes, this.#page), this.#page))
    else if (!isSamePage(name, attributes, this.#page))
      Object.assign(image, { place: { kind: 'other' }, src: null })
  }

  #setLinkTarget(link: OpenLink, target: LinkTarget): void {
    link.target = target
    const href = hrefOf(target)
    if (href) this.#frames.tag(`<a href="${quoteAttribute(href)}">`)
  }

  #textOf({ target, anchor }: OpenLink): string {
    if (!target) return quoteAttribute(anchor)
    if (target.kind === 'user')
      return quoteAttribute((this.#nameOf(target.user) ?? '').replaceAll('&', '&amp;'))
    if (target.kind === 'file') return quoteAttribute(target.name)
    return quoteAttribute(target.kind === 'url' ? target.url : target.label)
  }
}

function hrefOf(target: LinkTarget | null): string | null {
  if (target?.kind === 'text') return target.href
  return target?.kind === 'url' && /^(?:https?|mailto|ftp|tel):/i.test(target.url.trim()) ? target.url : null
}
