import { type ApiCall, WikiError } from '../http.ts'

/** The `expand` parameter as a tree of names. */
export type Expand = Map<string, Expand>

export interface V1Context {
  call: ApiCall
  site: 'cloud' | 'dataCenter'
}

/** The wiki allows 8 sub-expansions in a chain; more is a 400. */
export function parseExpand(text: string | null): Expand {
  const root: Expand = new Map()
  for (const chain of (text ?? '').split(',')) {
    const names = chain
      .trim()
      .split('.')
      .filter((name) => name !== '')
    if (names.length > 9)
      throw new WikiError(400, `Too many sub-expansions in ${names[0]}: at most 8 are allowed`)
    let place = root
    for (const name of names) {
      const inner = place.get(name) ?? new Map<string, Expand>()
      place.set(name, inner)
      place = inner
    }
  }
  return root
}

export const baseOf = ({ call, site }: V1Context): string =>
  site === 'cloud' ? call.urls.cloudUrl : call.urls.dataCenterUrl

export const contentNotFound = (): WikiError =>
  new WikiError(404, 'No content found with the given id, or no permission to view it')
