import { imageLocation } from '../image-location.ts'
import { decodeEntities, quoteAttribute } from './entities.ts'
import type { Frame, Frames } from './frames.ts'
import {
  encoded,
  fileAddress,
  filePageId,
  type LinkTarget,
  linkTargetOf,
  type PageContext,
  type UserRef,
} from './links.ts'
import type { StorageAttributes } from './reader.ts'
import type { ImageLocation, PageImage } from './rendition.ts'

export type NameOf = (user: UserRef) => string | null

type OpenLink = { target: LinkTarget | null; anchor: string; isOpen: boolean }

/** Links and images with their targets. */
export class ReferenceFrames {
  readonly #frames: Frames
  readonly #page: PageContext
  readonly #nameOf: NameOf
  readonly #openReferences: (OpenLink | PageImage)[] = []

  constructor(frames: Frames, page: PageContext, nameOf: NameOf) {
    this.#frames = frames
    this.#page = page
    this.#nameOf = nameOf
  }

  link(name: string, attributes: StorageAttributes): Frame {
    const { visible } = this.#frames.writer
    const link: OpenLink = { target: null, anchor: attributes['ac:anchor'] ?? '', isOpen: false }
    this.#openReferences.push(link)
    const onClose = () => {
      this.#openReferences.pop()
      // Reports only names that would be shown.
      if (this.#frames.writer.visible === visible) this.#frames.text(this.#textOf(link))
      if (link.isOpen) this.#frames.tag('</a>')
    }
    return { name, onClose }
  }

  image(name: string, attributes: StorageAttributes): Frame {
    const image: PageImage = {
      location: { kind: 'other' },
      src: null,
      alt: attributes['ac:alt'] ?? '',
      title: attributes['ac:title'] ?? '',
      width: attributes['ac:width'] ?? '',
      height: attributes['ac:height'] ?? '',
    }
    this.#frames.writer.image(image)
    this.#openReferences.push(image)
    return { name, onClose: () => void this.#openReferences.pop() }
  }

  /** An image in plain HTML, as on old pages. */
  htmlImage(name: string, { src = '', alt = '', title = '', ...rest }: StorageAttributes): Frame {
    const { width = '', height = '' } = rest
    const target = imageLocation({ kind: 'url', url: src }, this.#page)
    this.#frames.writer.image({ ...target, alt, title, width, height })
    return { name }
  }

  resource(name: string, attributes: StorageAttributes): Frame {
    const reference = this.#openReferences.at(-1)
    if (!reference) return { name }
    if ('location' in reference) {
      this.#setImageTarget(reference, name, attributes)
      return { name }
    }
    if (this.#isInResource) {
      if (reference.target?.kind === 'file')
        reference.target.pageId = filePageId(name, attributes, this.#page)
      return { name }
    }
    if (reference.target) return { name }
    reference.target = linkTargetOf(name, attributes, this.#page)
    // The page of a file is inside.
    return { name, onClose: () => this.#openLink(reference) }
  }

  /** The title, file name or URL of a resource. */
  labelOf(name: string, attributes: StorageAttributes): string {
    const target = linkTargetOf(name, attributes, this.#page)
    return target && target.kind !== 'user' ? this.#textOf({ target, anchor: '' }) : ''
  }

  #setImageTarget(image: PageImage, name: string, attributes: StorageAttributes): void {
    if (!this.#isInResource)
      Object.assign(image, imageLocation(linkTargetOf(name, attributes, this.#page), this.#page))
    else if (filePageId(name, attributes, this.#page) !== this.#page.pageId)
      Object.assign(image, { location: { kind: 'other' } satisfies ImageLocation, src: null })
  }

  /** A page inside a file's reference is the file's page. */
  get #isInResource(): boolean {
    return this.#frames.innermost.startsWith('ri:')
  }

  #openLink(link: OpenLink): void {
    const href = this.#hrefOf(link)
    if (!href) return
    link.isOpen = true
    this.#frames.tag(`<a href="${quoteAttribute(href)}">`)
  }

  #hrefOf({ target, anchor }: OpenLink): string | null {
    if (target?.kind === 'text')
      return target.href && target.href + (anchor === '' ? '' : `#${encoded(decodeEntities(anchor))}`)
    if (target?.kind === 'file' && target.name !== '' && target.pageId)
      return fileAddress(target.pageId, decodeEntities(target.name), this.#page)
    return target?.kind === 'url' && /^(?:https?|mailto|ftp|tel):/i.test(target.url.trim())
      ? target.url
      : null
  }

  #textOf({ target, anchor }: Pick<OpenLink, 'target' | 'anchor'>): string {
    if (!target) return quoteAttribute(anchor)
    if (target.kind === 'user')
      return quoteAttribute((this.#nameOf(target.user) ?? '').replaceAll('&', '&amp;'))
    if (target.kind === 'file') return quoteAttribute(target.name)
    return quoteAttribute(target.kind === 'url' ? target.url : target.label)
  }
}
