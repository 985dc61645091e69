import type { Wiki } from './wiki/start.ts'

/** Without permission checks of folders, which do not grow with pages. */
export async function requestsWithoutChecks({ control }: Pick<Wiki, 'control'>): Promise<number> {
  const { requests, sites } = await control.counts()
  const permissionRequests = Object.entries(sites.cloud.byEndpoint).filter(([name]) =>
    PERMISSION_PATHS.test(name),
  )
  return permissionRequests.reduce((left, [, count]) => left - count, requests)
}

const PERMISSION_PATHS = /permission\/check$|rest\/api\/group|users-bulk$/

export async function permissionChecks({ control }: Pick<Wiki, 'control'>): Promise<number> {
  const { byEndpoint } = (await control.counts()).sites.cloud
  return byEndpoint['POST /wiki/rest/api/content/{id}/permission/check'] ?? 0
}
