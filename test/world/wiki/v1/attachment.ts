import { attachmentStatus, attachmentsOf } from '../model/attachments.ts'
import { sizeOf } from '../model/file-body.ts'
import type { Attachment, ContentNode } from '../model/model.ts'
import { offsetPage } from '../paging.ts'
import { baseOf, type V1Context } from './expand.ts'
import { type ItemOptions, type JsonItem, ownAccountOf, partsOf } from './item-parts.ts'
import type { ListRange } from './restrictions.ts'

/** Attachments in v1: the media type always, the version only if expanded. */
export function attachmentItem(
  context: V1Context,
  attachment: Attachment,
  { expand, pageItem }: ItemOptions,
): JsonItem {
  const { world } = context.call
  const page = world.nodes.get(attachment.pageId)
  const { mediaType, comment, fileId, bytes } = attachment
  const item = partsOf(
    { context, content: attachment, expand },
    {
      container: (inner) => page && pageItem(page, inner),
      ancestors: () => [],
      restrictions: () => undefined,
    },
  )
  if (context.site === 'cloud') item.status = attachmentStatus(world, attachment)
  item.metadata = {
    mediaType,
    comment,
    ...(expand.get('metadata')?.has('labels') ? { labels: noLabels } : {}),
  }
  item.extensions = {
    mediaType,
    fileSize: sizeOf(bytes),
    comment,
    ...(context.site === 'cloud'
      ? { mediaTypeDescription: mediaType, fileId, collectionName: `contentId-${attachment.pageId}` }
      : {}),
  }
  item._links = {
    webui: webuiOfAttachment(attachment),
    download: downloadOf(attachment),
    self: ownAccountOf(context, attachment),
  }
  return item
}

const noLabels = { results: [], start: 0, limit: 200, size: 0 }

/** The list inside a page: one slice, with a link to the rest. */
export function attachmentList(context: V1Context, node: ContentNode, options: ItemOptions): JsonItem {
  const { world } = context.call
  const slice = { start: 0, limit: world.settings.nestedChildren }
  return nestedList(context, { node, kind: 'attachment', slice }, (from, limit) => {
    const { results, ...page } = offsetPage(attachmentsOf(world, node.id), from, limit)
    return { ...page, results: results.map((each) => attachmentItem(context, each, options)) }
  })
}

export function nestedList(
  context: V1Context,
  list: { node: { id: string }; kind: string; slice: ListRange },
  read: (start: number, limit: number) => { results: unknown[]; size: number; more: boolean },
): JsonItem {
  const { start, limit } = list.slice
  const { more, ...page } = read(start, limit)
  const path = `/rest/api/content/${list.node.id}/child/${list.kind}`
  const next = more
    ? { next: `${path}${path.includes('?') ? '&' : '?'}limit=${limit}&start=${start + limit}` }
    : {}
  return { ...page, _links: { self: `${baseOf(context)}${path}`, ...next } }
}

export const downloadOf = ({ pageId, title, version }: Attachment): string =>
  `/download/attachments/${pageId}/${encodeURIComponent(title)}?version=${version.number}&modificationDate=${Date.parse(version.when)}&cacheVersion=1&api=v2`

export const webuiOfAttachment = ({ pageId, id, title }: Attachment): string =>
  `/pages/viewpageattachments.action?pageId=${pageId}&preview=${encodeURIComponent(`/${pageId}/${id.slice(3)}/${title}`)}`
