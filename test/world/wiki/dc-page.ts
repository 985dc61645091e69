import { type ApiCall, ok, type WikiResponse } from './http.ts'
import { cappedLimit, offsetPage, wholeNumber } from './paging.ts'

/** The envelope of Data Center's lists. After a lowered limit, the next link repeats the last result. */
export function dcPage<T>(
  call: ApiCall,
  all: T[],
  options: { cap: number; defaultLimit?: number; toItem: (item: T) => unknown },
): WikiResponse {
  const { cap, defaultLimit = 25, toItem } = options
  const requested = wholeNumber(call, 'limit', defaultLimit)
  const limit = cappedLimit(call, defaultLimit, cap)
  const { more, ...page } = offsetPage(all, wholeNumber(call, 'start', 0), limit)
  const { dcUnderCount, dcPhantomNext } = call.world.settings
  const short = dcUnderCount && requested > cap && page.size > 1 ? 1 : 0
  const phantom = dcPhantomNext && page.size > 0
  const query = new URLSearchParams(call.query)
  query.set('start', String(page.start + page.size - (more ? short : 0)))
  const next = more || phantom ? { next: dcLink(call, query) } : {}
  return ok({ ...page, results: page.results.map(toItem), _links: { ...dcLinks(call), ...next } })
}

export const dcLinks = (call: ApiCall): Record<string, string> => ({
  self: `${new URL(call.urls.dataCenterUrl).origin}${call.url}`,
  base: call.urls.dataCenterUrl,
  context: call.world.settings.dcContext,
})

/** With or without the context path, depending on the version. */
export function dcLink(call: ApiCall, query: URLSearchParams): string {
  const { dcContext, dcNextWithContext } = call.world.settings
  const path = call.url.replace(/\?.*$/, '')
  return `${dcNextWithContext ? path : path.slice(dcContext.length)}?${query}`
}
