import { type Answer, type Call, ok, Refusal } from './http.ts'
import type { Attachment } from './model.ts'
import { cursorPage, v2Limit } from './paging.ts'
import { sees } from './truth.ts'
import { v2Page } from './v2-page.ts'

/** Attachments come 50 at a time unless asked otherwise. */
export function attachments(call: Call, pageId: string | undefined): Answer {
  const { world, account } = call
  const all = [...world.attachments.values()].filter((attachment) => {
    const page = world.nodes.get(attachment.pageId)
    return page !== undefined && (pageId === undefined || pageId === page.id) && sees(world, account, page)
  })
  const order = { name: 'id', compare: () => 0, id: ({ id }: { id: string }) => id.slice(3) }
  return v2Page(call, cursorPage(call, all, { limit: v2Limit(call, 50), order }), {
    wording: (each) => attachmentItem(each),
  })
}

export function oneAttachment(call: Call): Answer {
  const attachment = call.world.attachments.get(call.params.id ?? '')
  const page = call.world.nodes.get(attachment?.pageId ?? '')
  if (attachment === undefined || page === undefined || !sees(call.world, call.account, page))
    throw new Refusal(404, 'Not Found')
  return ok(attachmentItem(attachment))
}

/** `downloadLink` is the dead path that answers 401 to tokens, as the wiki still hands it out. */
function attachmentItem({
  id,
  title,
  createdAt,
  pageId,
  mediaType,
  comment,
  fileId,
  bytes,
  version,
  authorId,
}: Attachment) {
  const downloadLink = `/download/attachments/${pageId}/${encodeURIComponent(title)}?version=${version}&api=v2`
  const webuiLink = `/pages/viewpageattachments.action?pageId=${pageId}&preview=%2F${pageId}%2F${id.slice(3)}`
  return {
    id,
    status: 'current',
    title,
    createdAt,
    pageId,
    mediaType,
    mediaTypeDescription: mediaType,
    comment,
    fileId,
    fileSize: bytes.length,
    webuiLink,
    downloadLink,
    version: { number: version, createdAt, message: '', minorEdit: false, authorId },
    _links: { webui: webuiLink, download: downloadLink },
  }
}
