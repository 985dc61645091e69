import { canSee } from '../access/truth.ts'
import { type ApiCall, ok, WikiError, type WikiResponse } from '../http.ts'
import { attachmentById, attachmentStatus } from '../model/attachments.ts'
import { sizeOf } from '../model/file-body.ts'
import type { Attachment, World } from '../model/model.ts'
import { byNumber, cursorPage, v2Limit } from '../paging.ts'
import { downloadOf, webuiOfAttachment } from '../v1/attachment.ts'
import { versionItem } from './nodes.ts'
import { v2Page } from './page.ts'
import { statusesOf } from './parameters.ts'

/** Attachments of one page or all, 50 at a time by default. */
export function attachments(call: ApiCall, pageId: string | undefined): WikiResponse {
  const { world, account, query } = call
  const statuses = statusesOf(call, ['current', 'archived', 'trashed'])
  const [filename, mediaType] = [query.get('filename'), query.get('mediaType')]
  const order = orderOf(call)
  const all = pageId === undefined ? world.attachments.values() : (world.attachmentsOf.get(pageId) ?? [])
  const found: Attachment[] = []
  for (const each of all) {
    if (
      (filename !== null && each.title !== filename) ||
      (mediaType !== null && each.mediaType !== mediaType)
    )
      continue
    const page = world.nodes.get(each.pageId)
    if (page === undefined || !statuses.has(attachmentStatus(world, each)) || !canSee(world, account, page))
      continue
    found.push(each)
  }
  found.sort(order.compare)
  return v2Page(call, cursorPage(call, found, { limit: v2Limit(call, 50), order }), {
    toItem: (each) => attachmentItem(world, each),
  })
}

export function oneAttachment(call: ApiCall): WikiResponse {
  const { world, account } = call
  const attachment = attachmentById(world, call.params.id ?? '')
  const page = world.nodes.get(attachment?.pageId ?? '')
  const hidden = page === undefined || !canSee(world, account, page)
  if (attachment === undefined || hidden || attachmentStatus(world, attachment) === 'trashed')
    throw new WikiError(404, 'Not Found')
  return ok(attachmentItem(world, attachment))
}

/** `downloadLink` is a dead path that rejects tokens with 401, as in the wiki. */
function attachmentItem(world: World, attachment: Attachment) {
  const { id, title, createdAt, pageId, mediaType, comment, fileId, bytes, version } = attachment
  const page = world.nodes.get(pageId)
  const [webuiLink, downloadLink] = [webuiOfAttachment(attachment), downloadOf(attachment)]
  return {
    id,
    status: attachmentStatus(world, attachment),
    title,
    createdAt,
    ...(page?.kind === 'blogpost' ? { blogPostId: pageId } : { pageId }),
    mediaType,
    mediaTypeDescription: mediaType,
    comment,
    fileId,
    fileSize: sizeOf(bytes),
    webuiLink,
    downloadLink,
    version: versionItem(version),
    _links: { webui: webuiLink, download: downloadLink },
  }
}

const sorts: Record<string, (a: Attachment, b: Attachment) => number> = {
  id: byNumber,
  'created-date': (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt),
  'modified-date': (a, b) => Date.parse(a.version.when) - Date.parse(b.version.when),
}

function orderOf(call: ApiCall) {
  const name = call.query.get('sort') ?? 'id'
  const compare = sorts[name.replace(/^-/, '')]
  if (compare === undefined) throw new WikiError(400, `Provided value {${name}} for 'sort' is not valid`)
  const sign = name.startsWith('-') ? -1 : 1
  return {
    name,
    compare: (a: Attachment, b: Attachment) => sign * compare(a, b) || byNumber(a, b),
    id: ({ id }: Attachment) => id,
  }
}
