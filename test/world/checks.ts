import type { Wiki } from './wiki/start.ts'

/**
 * Requests so far, without permission checks of folders: those grow with folders, groups and people, not with pages.
 */
export async function requestsOf({ control }: Pick<Wiki, 'control'>): Promise<number> {
  const { requests, sites } = await control.counts()
  const aside = Object.entries(sites.cloud.byEndpoint).filter(([name]) => PEOPLE.test(name))
  return aside.reduce((left, [, count]) => left - count, requests)
}

const PEOPLE = /permission\/check$|rest\/api\/group|users-bulk$/

export async function checksOf({ control }: Pick<Wiki, 'control'>): Promise<number> {
  const { byEndpoint } = (await control.counts()).sites.cloud
  return byEndpoint['POST /wiki/rest/api/content/{id}/permission/check'] ?? 0
}
