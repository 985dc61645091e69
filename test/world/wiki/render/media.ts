import type { SiteRequest } from '../cloud.ts'
import type { WikiResponse } from '../http.ts'
import type { World } from '../model/model.ts'

/** The host of attachments. It checks only the token in the address. */
export function answerMedia(world: World, request: SiteRequest): WikiResponse {
  // Clients must not forward wiki credentials to this host.
  if (request.headers.authorization !== undefined)
    return refuse(403, 'Only one means of authorization is allowed')
  const [path = '', query = ''] = request.url.split('?')
  const fileId = /^\/file\/([^/]+)\/binary$/.exec(path)?.[1]
  const { attachment, bytes } = world.files.get(fileId ?? '') ?? {}
  if (attachment === undefined || attachment.broken === 'missing') return refuse(404, 'No such file')
  if (new URLSearchParams(query).get('token') !== `eyJ.${fileId}`)
    return refuse(403, 'The token does not fit')
  return {
    status: 200,
    headers: {
      'content-type': attachment.mediaType,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(attachment.title)}`,
    },
    ...(bytes === undefined ? {} : { file: bytes }),
  }
}

const refuse = (code: number, title: string): WikiResponse => ({
  status: code,
  body: { error: { code, title } },
})
