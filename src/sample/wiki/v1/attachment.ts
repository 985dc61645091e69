import { attachmentsOf } from '../model/attachments.ts'
import { sizeOf } from '../model/file-body.ts'
import type { Attachment, Node } from '../model/model.ts'
import { offsetPage } from '../paging.ts'
import { partsOf, type RenderContent, selfOf } from './content-parts.ts'
import { baseOf, type Expand, type Wording } from './expand.ts'
import type { Slice } from './restrictions.ts'

type Rendering = { expand: Expand; render: RenderContent }

/** Attachments as v1 words them: what kind of file it is always, its version only when expanded. */
export function attachmentItem(
  wording: Wording,
  attachment: Attachment,
  { expand, render }: Rendering,
): Record<string, unknown> {
  const { world } = wording.call
  const page = world.nodes.get(attachment.pageId)
  const { mediaType, comment, fileId, bytes } = attachment
  const item = partsOf(
    { wording, content: attachment, expand },
    {
      container: (inner) => page && render(wording, page, inner),
      ancestors: () => [],
      restrictions: () => undefined,
    },
  )
  item.metadata = {
    mediaType,
    comment,
    ...(expand.get('metadata')?.has('labels') ? { labels: noLabels } : {}),
  }
  item.extensions = {
    mediaType,
    fileSize: sizeOf(bytes),
    comment,
    ...(wording.site === 'cloud'
      ? { mediaTypeDescription: mediaType, fileId, collectionName: `contentId-${attachment.pageId}` }
      : {}),
  }
  item._links = {
    webui: webuiOfAttachment(attachment),
    download: downloadOf(attachment),
    self: selfOf(wording, attachment),
  }
  return item
}

const noLabels = { results: [], start: 0, limit: 200, size: 0 }

/** The list inside of a page: so many at a time, with a link to the rest. */
export function attachmentList(
  wording: Wording,
  node: Node,
  { expand, render }: Rendering,
): Record<string, unknown> {
  const { world } = wording.call
  const slice = { start: 0, limit: world.settings.nestedChildren }
  return nestedList(wording, { node, kind: 'attachment', slice }, (from, limit) => {
    const { results, ...page } = offsetPage(attachmentsOf(world, node.id), from, limit)
    return { ...page, results: results.map((each) => render(wording, each, expand)) }
  })
}

export function nestedList(
  wording: Wording,
  told: { node: { id: string }; kind: string; slice: Slice },
  read: (start: number, limit: number) => { results: unknown[]; size: number; more: boolean },
): Record<string, unknown> {
  const { start, limit } = told.slice
  const { more, ...page } = read(start, limit)
  const path = `/rest/api/content/${told.node.id}/child/${told.kind}`
  const next = more
    ? { next: `${path}${path.includes('?') ? '&' : '?'}limit=${limit}&start=${start + limit}` }
    : {}
  return { ...page, _links: { self: `${baseOf(wording)}${path}`, ...next } }
}

export const downloadOf = ({ pageId, title, version }: Attachment): string =>
  `/download/attachments/${pageId}/${encodeURIComponent(title)}?version=${version.number}&modificationDate=${Date.parse(version.when)}&cacheVersion=1&api=v2`

export const webuiOfAttachment = ({ pageId, id, title }: Attachment): string =>
  `/pages/viewpageattachments.action?pageId=${pageId}&preview=${encodeURIComponent(`/${pageId}/${id.slice(3)}/${title}`)}`
