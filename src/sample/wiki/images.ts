/** Pictures as the rendered view words them. Addresses are root-relative, as bodies keep them: `/wiki/…`. */
export interface Shown {
  /** With its `att` or without; the view leaves it out. */
  id: string
  title: string
  /** The page that holds it: that of the body itself, or another. */
  pageId: string
  mediaType?: string
  version?: number
  fileId?: string
  width?: number
  height?: number
}

/** An attachment shown as a picture: a thumbnail that says in attributes which attachment it is of. */
export function attachmentImage(shown: Shown): string {
  const { id, title, pageId, mediaType = 'image/png', version = 1, width = 64, height = 64 } = shown
  const name = escapeHtml(title)
  const media = shown.fileId === undefined ? '' : ` data-media-id="${shown.fileId}" data-media-type="file"`
  return `<span class="confluence-embedded-file-wrapper image-center-wrapper"><img class="confluence-embedded-image image-center" alt="${name}" loading="lazy" src="${pathOf('thumbnails', shown)}" data-image-src="${pathOf('attachments', shown)}" data-height="${height}" data-width="${width}" data-unresolved-comment-count="0" data-linked-resource-id="${id.replace(/^att/, '')}" data-linked-resource-version="${version}" data-linked-resource-type="attachment" data-linked-resource-default-alias="${name}" data-base-url="/wiki" data-linked-resource-content-type="${mediaType}" data-linked-resource-container-id="${pageId}" data-linked-resource-container-version="1"${media}></span>`
}

/** As old pages and some macros have it: the address, and nothing that says what it is of. */
export const bareImage = (shown: Pick<Shown, 'title' | 'pageId' | 'version'>): string =>
  `<img src="${pathOf('attachments', shown)}">`

export const emojiImage = (id: string, name: string, glyph: string): string =>
  `<img class="emoticon emoticon-blue-star" data-emoji-id="${id}" data-emoji-shortname=":${name}:" data-emoji-fallback="${glyph}" data-emoticon-name="blue-star" width="16" height="16" src="/wiki/s/1/_/images/icons/emoticons/star_blue.png" alt="(blue star)"/>`

/** A picture of another site, by its own address. */
export const externalImage = (url: string, alt = ''): string =>
  `<span class="confluence-embedded-file-wrapper"><img class="confluence-embedded-image confluence-external-resource" alt="${escapeHtml(alt)}" loading="lazy" src="${escapeHtml(url)}" data-image-src="${escapeHtml(url)}"></span>`

/** A picture inside of the body itself. */
export const inlineImage = (mediaType: string, base64: string): string =>
  `<img class="confluence-embedded-image" src="data:${mediaType};base64,${base64}">`

/** What the view shows where the page names an attachment that is no longer there. */
export const unknownImage = (title: string): string =>
  `<span class="confluence-embedded-file-wrapper"><img class="confluence-embedded-image" title="${escapeHtml(title)}" src="/wiki/plugins/servlet/confluence/placeholder/unknown-attachment?locale=en_GB&amp;version=2" data-image-src="/wiki/plugins/servlet/confluence/placeholder/unknown-attachment?locale=en_GB&amp;version=2"></span>`

/** A link to any other attachment, as the editor puts it. */
export function fileLink({
  id,
  title,
  pageId,
  mediaType = 'application/octet-stream',
  ...rest
}: Shown): string {
  const name = escapeHtml(title)
  return `<span class="confluence-embedded-file-wrapper"><a class="confluence-embedded-file" href="${pathOf('attachments', { title, pageId, ...rest })}" data-linked-resource-id="${id.replace(/^att/, '')}" data-linked-resource-type="attachment" data-linked-resource-container-id="${pageId}" data-linked-resource-default-alias="${name}" data-mime-type="${mediaType}">${name}</a></span>`
}

/** The same in the storage format, which names the title and, for another page's file, that page. */
export const storedImage = (title: string, page?: { title: string; spaceKey: string }): string =>
  page === undefined
    ? `<ac:image ac:alt="${escapeHtml(title)}"><ri:attachment ri:filename="${escapeHtml(title)}" ri:version-at-save="1" /></ac:image>`
    : `<ac:image ac:alt="${escapeHtml(title)}"><ri:attachment ri:filename="${escapeHtml(title)}"><ri:page ri:content-title="${escapeHtml(page.title)}" ri:space-key="${page.spaceKey}" /></ri:attachment></ac:image>`

/** Files for `control.attach` that are not what they say, or are nowhere. */
export const trickFiles = {
  /** Named and typed as a picture, and HTML inside. */
  disguised: {
    title: 'picture.png',
    mediaType: 'image/png',
    base64: Buffer.from('<!DOCTYPE html><script>alert(1)</script>').toString('base64'),
    broken: 'corrupt' as const,
  },
  /** Listed like any other, and 404 when it is fetched. */
  missing: { title: 'lost.png', mediaType: 'image/png', base64: '', broken: 'missing' as const },
}

const pathOf = (
  kind: 'thumbnails' | 'attachments',
  { pageId, title, version = 1 }: Omit<Shown, 'id'>,
): string => `/wiki/download/${kind}/${pageId}/${encodeURIComponent(title)}?version=${version}&amp;api=v2`

export const escapeHtml = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
