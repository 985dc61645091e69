import type { Attachment, ContentNode, WikiPerson, World } from '../model/model.ts'
import { addressOf, firstResource, isVisible, namedNode, renderChildren, type View } from '../view.ts'
import { escapeMarkup } from './macro.ts'
import { emojiHtml, externalImageHtml, fileHtml, imageHtml, missingFileHtml } from './resource-html.ts'
import { attribute, childOf, type StorageElement, textOf } from './storage-tree.ts'

/** Links, mentions, pictures and emoji of the storage format. */
const targets = [
  'ri:page',
  'ri:blog-post',
  'ri:content-entity',
  'ri:attachment',
  'ri:user',
  'ri:space',
  'ri:shortcut',
  'ri:url',
]

export function renderLink(view: View, link: StorageElement): string {
  const target = childOf(link, ...targets)
  const body = bodyOf(view, link)
  const anchor = attribute(link, 'ac:anchor')
  const hash = anchor === undefined ? '' : `#${encodeURIComponent(anchor)}`
  if (target === undefined)
    return `<a href="${hash || addressOf(view, view.page)}">${body ?? escapeMarkup(anchor ?? view.page.title)}</a>`
  switch (target.tag) {
    case 'ri:user':
      return renderMention(view, userOf(view.world, target), body)
    case 'ri:attachment':
      return renderFileLink(view, target, body)
    case 'ri:space': {
      const key = attribute(target, 'ri:space-key') ?? ''
      return `<a href="/wiki/spaces/${escapeMarkup(key)}">${body ?? escapeMarkup(key)}</a>`
    }
    case 'ri:shortcut': {
      const [key = '', parameter = ''] = [attribute(target, 'ri:key'), attribute(target, 'ri:parameter')]
      const href = `/wiki/shortcut/${encodeURIComponent(key)}/${encodeURIComponent(parameter)}`
      return `<a class="external-link" href="${href}" rel="nofollow">${body ?? escapeMarkup(parameter)}</a>`
    }
    case 'ri:url': {
      const url = attribute(target, 'ri:value') ?? ''
      return `<a class="external-link" href="${escapeMarkup(url)}${hash}" rel="nofollow">${body ?? escapeMarkup(url)}</a>`
    }
    default:
      return pageLink(view, namedNode(view, target), {
        hash,
        body: body ?? escapeMarkup(attribute(target, 'ri:content-title') ?? ''),
      })
  }
}

function bodyOf(view: View, link: StorageElement): string | undefined {
  const rich = childOf(link, 'ac:link-body')
  if (rich !== undefined) return renderChildren(view, rich.children)
  const plain = childOf(link, 'ac:plain-text-link-body')
  return plain === undefined ? undefined : escapeMarkup(textOf(plain.children))
}

/** An invisible page looks like a missing one. */
export function pageLink(
  view: View,
  node: ContentNode | undefined,
  { body = '', hash = '' }: { body?: string; hash?: string } = {},
): string {
  if (!isVisible(view, node)) return `<a class="createlink" href="#">${body}</a>`
  const address = `${addressOf(view, node)}${hash}`
  return `<a href="${escapeMarkup(address)}" data-linked-resource-id="${node.id}" data-linked-resource-version="${node.version.number}" data-linked-resource-type="${node.kind}">${body || escapeMarkup(node.title)}</a>`
}

export function userOf({ people }: World, ri: StorageElement): WikiPerson | undefined {
  const id = attribute(ri, 'ri:account-id')
  if (id !== undefined) return people.get(id)
  const [key, username] = [attribute(ri, 'ri:userkey'), attribute(ri, 'ri:username')]
  for (const person of people.values())
    if (person.userKey === key || person.username === username) return person
  return undefined
}

export function renderMention({ site }: View, person: WikiPerson | undefined, body?: string): string {
  if (person === undefined) return `<span class="unknown-user">${body ?? 'Unknown user'}</span>`
  const name = body ?? escapeMarkup(person.name)
  if (site === 'dataCenter')
    return `<a class="confluence-userlink user-mention" data-username="${person.username}" href="/wiki/display/~${person.username}" data-linked-resource-type="userinfo">${name}</a>`
  const id = person.accountId
  return `<a class="confluence-userlink user-mention" data-account-id="${id}" href="/wiki/people/${encodeURIComponent(id)}" target="_blank" data-linked-resource-type="userinfo">${name}</a>`
}

/** The file named by `ri:attachment`, if the viewer sees its page. */
export function attachmentIn(view: View, ri: StorageElement): Attachment | undefined {
  const named = firstResource(ri.children)
  const page = named === undefined ? view.page : namedNode(view, named)
  if (page === undefined) return undefined
  if (page !== view.page && !isVisible(view, page)) return undefined
  const title = attribute(ri, 'ri:filename')
  return view.world.attachmentsOf
    .get(page.id)
    ?.find((each) => each.title === title && each.status === 'current')
}

function renderFileLink(view: View, ri: StorageElement, body: string | undefined): string {
  const found = attachmentIn(view, ri)
  const name = body ?? escapeMarkup(attribute(ri, 'ri:filename') ?? '')
  if (found === undefined) return `<span class="unknown-attachment">${name}</span>`
  return fileHtml({ ...viewResourceOf(found), ...(body === undefined ? {} : { body }) })
}

export const viewResourceOf = ({ id, title, pageId, mediaType, fileId, version }: Attachment) => ({
  id,
  title,
  pageId,
  mediaType,
  fileId,
  version: version.number,
})

export function renderImage(view: View, image: StorageElement): string {
  const [alt, title] = [attribute(image, 'ac:alt'), attribute(image, 'ac:title')]
  const caption = childOf(image, 'ac:caption')
  const below =
    caption === undefined ? '' : `<div class="image-caption">${renderChildren(view, caption.children)}</div>`
  return `${pictureOf(view, image, { alt, title })}${below}`
}

function pictureOf(
  view: View,
  image: StorageElement,
  { alt, title }: { alt: string | undefined; title: string | undefined },
): string {
  const url = childOf(image, 'ri:url')
  if (url !== undefined) return externalImageHtml(attribute(url, 'ri:value') ?? '', alt, title)
  const ri = childOf(image, 'ri:attachment')
  if (ri === undefined) return ''
  const found = attachmentIn(view, ri)
  if (found === undefined) return missingFileHtml(attribute(ri, 'ri:filename') ?? '')
  return imageHtml({
    ...viewResourceOf(found),
    ...(alt === undefined ? {} : { alt }),
    ...(title === undefined ? {} : { imageTitle: title }),
  })
}

export function renderEmoji(emoticon: StorageElement): string {
  const name = (attribute(emoticon, 'ac:emoji-shortname') ?? attribute(emoticon, 'ac:name') ?? '').replaceAll(
    ':',
    '',
  )
  const glyph = emoticon.attributes['ac:emoji-fallback'] ?? `:${escapeMarkup(name)}:`
  return emojiHtml(escapeMarkup(attribute(emoticon, 'ac:emoji-id') ?? ''), escapeMarkup(name), glyph)
}
