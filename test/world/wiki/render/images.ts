import { escapeMarkup } from './macro.ts'

/** Pictures and files as stored by an editor, for test bodies. */
export interface StoredFile {
  title: string
  /** The page that the file is attached to. */
  pageId: string
  version?: number
}

/** A file of the page with this id. */
export const attachmentImage = ({ title, pageId }: StoredFile & Record<string, unknown>): string =>
  `<ac:image ac:alt="${escapeMarkup(title)}"><ri:attachment ri:filename="${escapeMarkup(title)}"><ri:content-entity ri:content-id="${pageId}" /></ri:attachment></ac:image>`

/** Old form: only the address. */
export const bareImage = ({ title, pageId, version = 1 }: StoredFile): string =>
  `<ac:image><ri:url ri:value="/wiki/download/attachments/${pageId}/${encodeURIComponent(title)}?version=${version}&amp;api=v2" /></ac:image>`

export const emojiImage = (id: string, name: string, glyph: string): string =>
  `<ac:emoticon ac:name="blue-star" ac:emoji-shortname=":${name}:" ac:emoji-id="${id}" ac:emoji-fallback="${glyph}" />`

/** A picture on another site. */
export const externalImage = (url: string, alt = ''): string =>
  `<ac:image${alt === '' ? '' : ` ac:alt="${escapeMarkup(alt)}"`}><ri:url ri:value="${escapeMarkup(url)}" /></ac:image>`

/** A picture inside the body itself. */
export const inlineImage = (mediaType: string, base64: string): string =>
  externalImage(`data:${mediaType};base64,${base64}`)

/** A picture that the page names but does not have. */
export const unknownImage = (title: string): string =>
  `<ac:image><ri:attachment ri:filename="${escapeMarkup(title)}" /></ac:image>`

/** A link to a file of the same page, unless `pageId` names another. */
export const fileLink = ({ title, pageId }: Pick<StoredFile, 'title'> & Partial<StoredFile>): string =>
  pageId === undefined
    ? `<ac:link><ri:attachment ri:filename="${escapeMarkup(title)}" /></ac:link>`
    : `<ac:link><ri:attachment ri:filename="${escapeMarkup(title)}"><ri:content-entity ri:content-id="${pageId}" /></ri:attachment></ac:link>`

/** A picture of the same page, or of the page with this title. */
export const storedImage = (title: string, page?: { title: string; spaceKey: string }): string =>
  page === undefined
    ? `<ac:image ac:alt="${escapeMarkup(title)}"><ri:attachment ri:filename="${escapeMarkup(title)}" ri:version-at-save="1" /></ac:image>`
    : `<ac:image ac:alt="${escapeMarkup(title)}"><ri:attachment ri:filename="${escapeMarkup(title)}"><ri:page ri:content-title="${escapeMarkup(page.title)}" ri:space-key="${page.spaceKey}" /></ri:attachment></ac:image>`

/** Files for `control.attach` with wrong or missing content. */
export const invalidFiles = {
  /** HTML named and typed as a picture. */
  disguised: {
    title: 'picture.png',
    mediaType: 'image/png',
    base64: Buffer.from('<!DOCTYPE html><script>alert(1)</script>').toString('base64'),
    broken: 'corrupt' as const,
  },
  /** Listed, but 404 on download. */
  missing: { title: 'lost.png', mediaType: 'image/png', base64: '', broken: 'missing' as const },
}
