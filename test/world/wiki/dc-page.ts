import { type ApiCall, ok, type WikiResponse } from '../../../src/sample/wiki/http.ts'
import { cappedLimit, offsetPage, wholeNumber } from '../../../src/sample/wiki/paging.ts'

/**
 * The envelope of Data Center's lists. A limit above the cap is lowered silently; then the next link is one too low
 * and repeats the last result.
 */
export function dcPage<T>(
  call: ApiCall,
  all: T[],
  options: { cap: number; defaultLimit?: number; wording: (item: T) => unknown },
): WikiResponse {
  const { cap, defaultLimit = 25, wording } = options
  const asked = wholeNumber(call, 'limit', defaultLimit)
  const limit = cappedLimit(call, defaultLimit, cap)
  const { more, ...page } = offsetPage(all, wholeNumber(call, 'start', 0), limit)
  const { dcUnderCount, dcPhantomNext } = call.world.settings
  const short = dcUnderCount && asked > cap && page.size > 1 ? 1 : 0
  const phantom = dcPhantomNext && page.size > 0
  const query = new URLSearchParams(call.query)
  query.set('start', String(page.start + page.size - (more ? short : 0)))
  const next = more || phantom ? { next: dcLink(call, query) } : {}
  return ok({ ...page, results: page.results.map(wording), _links: { ...dcLinks(call), ...next } })
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
