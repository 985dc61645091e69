import { escapeMarkup } from './macro.ts'

/** Pictures and files as in the rendered view, with root-relative addresses: `/wiki/…`. */
export interface ViewResource {
  /** With or without `att`; the view omits it. */
  id: string
  title: string
  /** The page it is attached to. */
  pageId: string
  mediaType?: string
  version?: number
  fileId?: string
  width?: number
  height?: number
  /** Defaults to the file name. */
  alt?: string
  imageTitle?: string
}

/** A picture attachment: a thumbnail whose attributes name the attachment. */
export function imageHtml(shown: ViewResource): string {
  const { id, title, pageId, mediaType = 'image/png', version = 1, width = 64, height = 64 } = shown
  const name = escapeMarkup(title)
  const media = shown.fileId === undefined ? '' : ` data-media-id="${shown.fileId}" data-media-type="file"`
  return `<span class="confluence-embedded-file-wrapper image-center-wrapper"><img class="confluence-embedded-image image-center" alt="${escapeMarkup(shown.alt ?? title)}"${titled(shown.imageTitle)} loading="lazy" src="${pathOf('thumbnails', shown)}" data-image-src="${pathOf('attachments', shown)}" data-height="${height}" data-width="${width}" data-unresolved-comment-count="0" data-linked-resource-id="${id.replace(/^att/, '')}" data-linked-resource-version="${version}" data-linked-resource-type="attachment" data-linked-resource-default-alias="${name}" data-base-url="/wiki" data-linked-resource-content-type="${mediaType}" data-linked-resource-container-id="${pageId}" data-linked-resource-container-version="1"${media}></span>`
}

export const emojiHtml = (id: string, name: string, glyph: string): string =>
  `<img class="emoticon emoticon-blue-star" data-emoji-id="${id}" data-emoji-shortname=":${name}:" data-emoji-fallback="${glyph}" data-emoticon-name="blue-star" width="16" height="16" src="/wiki/s/1/_/images/icons/emoticons/star_blue.png" alt="(blue star)"/>`

/** A picture by address; only other sites count as external. */
export function externalImageHtml(url: string, alt = '', title?: string): string {
  const src = escapeMarkup(url)
  const named = `${alt === '' ? '' : ` alt="${escapeMarkup(alt)}"`}${titled(title)}`
  if (!/^https?:/i.test(url)) return `<img class="confluence-embedded-image"${named} src="${src}">`
  return `<span class="confluence-embedded-file-wrapper"><img class="confluence-embedded-image confluence-external-resource"${named} loading="lazy" src="${src}" data-image-src="${src}"></span>`
}

/** The view of a missing attachment. */
export const missingFileHtml = (title: string): string =>
  `<span class="confluence-embedded-file-wrapper"><img class="confluence-embedded-image" title="${escapeMarkup(title)}" src="/wiki/plugins/servlet/confluence/placeholder/unknown-attachment?locale=en_GB&amp;version=2" data-image-src="/wiki/plugins/servlet/confluence/placeholder/unknown-attachment?locale=en_GB&amp;version=2"></span>`

/** A link to an attachment that is not a picture, as the editor writes it. */
export function fileHtml({
  id,
  title,
  pageId,
  mediaType = 'application/octet-stream',
  body,
  ...rest
}: ViewResource & { body?: string }): string {
  const name = escapeMarkup(title)
  return `<span class="confluence-embedded-file-wrapper"><a class="confluence-embedded-file" href="${pathOf('attachments', { title, pageId, ...rest })}" data-linked-resource-id="${id.replace(/^att/, '')}" data-linked-resource-type="attachment" data-linked-resource-container-id="${pageId}" data-linked-resource-default-alias="${name}" data-mime-type="${mediaType}">${body ?? name}</a></span>`
}

const titled = (title: string | undefined): string =>
  title === undefined ? '' : ` title="${escapeMarkup(title)}"`

const pathOf = (
  kind: 'thumbnails' | 'attachments',
  { pageId, title, version = 1 }: Omit<ViewResource, 'id'>,
): string => `/wiki/download/${kind}/${pageId}/${encodeURIComponent(title)}?version=${version}&amp;api=v2`
