import { type ApiCall, ok, type WikiResponse } from '../http.ts'
import type { CursorPage, Order } from '../paging.ts'
import { cursorPage, v2Limit } from '../paging.ts'

/** A v2 list: `_links.next` is relative to the site, also in a Link header. */
export function v2Page<T>(
  call: ApiCall,
  page: CursorPage<T> | T[],
  options: { toItem?: (item: T) => unknown; order?: Order<T> },
): WikiResponse {
  const { items, next } = Array.isArray(page) ? pageOf(call, page, options.order) : page
  const base = call.urls.cloudUrl
  const results = options.toItem === undefined ? items : items.map(options.toItem)
  if (next === undefined) return ok({ results, _links: { base } }, { link: `<${base}>; rel="base"` })
  const path = `/wiki${call.url.replace(/\?.*$/, '').replace(/^\/wiki/, '')}?${next}`
  return ok(
    { results, _links: { next: path, base } },
    { link: `<${path}>; rel="next", <${base}>; rel="base"` },
  )
}

function pageOf<T>(call: ApiCall, all: T[], order: Order<T> | undefined): CursorPage<T> {
  const limit = v2Limit(call)
  return order === undefined
    ? { items: all, limit, next: undefined }
    : cursorPage(call, all, { limit, order })
}
