import { type ApiCall, WikiError, type WikiResponse } from '../http.ts'
import { attachmentById, attachmentStatus, versionOf } from '../model/attachments.ts'
import type { ContentNode } from '../model/model.ts'
import { contentNotFound } from './expand.ts'

/**
 * 302 to the media host, which checks only the token in the address. Without `status` only current attachments are
 * found, so those of archived pages need `status=archived`.
 */
export function download(call: ApiCall, node: ContentNode): WikiResponse {
  const { world, query, params, urls } = call
  const attachment = attachmentById(world, params.attachmentId ?? '')
  const requested = query.getAll('status')
  const statuses = requested.length === 0 ? ['current'] : requested
  if (attachment?.pageId !== node.id || !statuses.includes(attachmentStatus(world, attachment)))
    throw contentNotFound()
  const number = query.get('version')
  const version = versionOf(attachment, number)
  if (version === undefined) throw new WikiError(400, `Attachment ${attachment.id} has no version ${number}`)
  const address = new URLSearchParams({
    token: `eyJ.${version.fileId}`,
    client: 'simulated',
    name: attachment.title,
  })
  return {
    status: 302,
    headers: { location: `${urls.mediaUrl}/file/${version.fileId}/binary?${address}` },
    body: '',
  }
}
