import { canSee } from './access/truth.ts'
import { visitor } from './access/visitor.ts'
import { type ApiCall, type SiteUrls, WikiError, type WikiResponse } from './http.ts'
import { attachmentsOf, versionOf } from './model/attachments.ts'
import type { World } from './model/model.ts'

/** Works with a token or a password for everyone who sees the page. */
export function download(call: ApiCall): WikiResponse {
  const { world, account, params, query } = call
  const page = world.nodes.get(params.id ?? '')
  const visible = page !== undefined && canSee(world, account, page, 'dataCenter')
  const files = visible ? attachmentsOf(world, page.id) : []
  const name = params.name ?? ''
  const file =
    files.find(({ title }) => title === name) ??
    files.find(({ title }) => title === name.replaceAll('+', ' '))
  const version = file && versionOf(file, query.get('version'))
  if (file === undefined || version === undefined || file.broken === 'missing')
    throw new WikiError(404, 'No such attachment')
  const thumbnail = /^\/[^?]*\/download\/thumbnails\//.test(call.url)
  if (thumbnail && !file.mediaType.startsWith('image/')) throw new WikiError(404, 'No such thumbnail')
  return {
    status: 200,
    headers: {
      'content-type': file.mediaType,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.title)}`,
    },
    file: version.bytes,
  }
}

export const isDownload = (local: string): boolean => /^\/download\/(attachments|thumbnails)\//.test(local)

/** Whether the file belongs to a page that visitors see. */
export function isOpenDownload(world: World, local: string): boolean {
  const pageId = /^\/download\/(?:attachments|thumbnails)\/([^/]+)\//.exec(local)?.[1] ?? ''
  const page = world.nodes.get(pageId)
  return page !== undefined && canSee(world, visitor(), page, 'dataCenter')
}

/** Browsers are redirected to sign in; `settings.dcDownloadUnauthorized` makes it a refusal. */
export function downloadLogin(world: World, urls: SiteUrls, url: string): WikiResponse | undefined {
  if (world.settings.dcDownloadUnauthorized !== 302) return undefined
  const destination = encodeURIComponent(url.slice(world.settings.dcContext.length))
  const location = `${urls.dataCenterUrl}/login.action?os_destination=${destination}&permissionViolation=true`
  return { status: 302, headers: { location }, body: '' }
}
