import type { Wiki } from './wiki/start.ts'

/** Requests so far without those that check folders: these grow with folders and principals, not with pages. */
export async function requestsOf({ control }: Pick<Wiki, 'control'>): Promise<number> {
  const { requests } = await control.counts()
  return requests - (await checksOf({ control }))
}

export async function checksOf({ control }: Pick<Wiki, 'control'>): Promise<number> {
  const { byEndpoint } = (await control.counts()).sites.cloud
  return byEndpoint['POST /wiki/rest/api/content/{id}/permission/check'] ?? 0
}
