/** A page of an `ancestors` filter: by id, or by record id, which begins with its `site`. Page ids repeat between sites. */
export function ancestorOf(page: string): { id: string; site: string } {
  const slash = page.lastIndexOf('/')
  return { id: page.slice(slash + 1), site: page.slice(0, slash + 1) }
}

/** The bound of a range as times are stored: in UTC with milliseconds. A date means its whole day. */
export function timeBound(value: string, side: 'start' | 'end'): string {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(value)
  const time = new Date(isDate && side === 'end' ? `${value}T23:59:59.999Z` : value)
  return Number.isNaN(time.getTime()) ? value : time.toISOString()
}

/** The values of a facet, from one stored value or a list. */
export function facetTexts(value: unknown): string[] {
  return [value ?? []].flat().filter((each) => typeof each === 'string')
}
