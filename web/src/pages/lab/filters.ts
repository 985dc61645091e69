import { listOf } from './person.ts'
import type { FacetName, LabAddress } from './types.ts'

/** The filters in the address, as the service takes them. */
export function filtersOf(address: LabAddress): Record<string, unknown> | undefined {
  const { space, filetype, author, below, from, until } = address
  const labels = listOf(address.labels)
  const modified = { ...(from ? { gte: from } : {}), ...(until ? { lte: until } : {}) }
  const filters = {
    ...(space ? { space_key: listOf(space) } : {}),
    ...(labels.length > 0 ? { labels } : {}),
    ...(filetype ? { filetype: listOf(filetype) } : {}),
    ...(author ? { author: listOf(author) } : {}),
    ...(below ? { ancestors: listOf(below) } : {}),
    ...(from || until ? { modified } : {}),
  }
  return Object.keys(filters).length > 0 ? filters : undefined
}

export const CLEARED_FILTERS = {
  space: undefined,
  labels: undefined,
  filetype: undefined,
  author: undefined,
  below: undefined,
  from: undefined,
  until: undefined,
} satisfies Partial<LabAddress>

const fields = { space_key: 'space', labels: 'labels', filetype: 'filetype', author: 'author' } as const

/** The chosen values of a facet; a month if the dates cover exactly one. */
export function chosenOf(name: FacetName, address: LabAddress): string[] {
  if (name !== 'modified') return listOf(address[fields[name]])
  const month = address.from?.slice(0, 7)
  return month && address.from === `${month}-01` && address.until === lastDayOf(month) ? [month] : []
}

/** The change of the address that adds or removes one value of a facet. */
export function toggled(name: FacetName, value: string, address: LabAddress): Partial<LabAddress> {
  const chosen = chosenOf(name, address)
  const isChosen = chosen.includes(value)
  if (name === 'modified') {
    if (isChosen) return { from: undefined, until: undefined }
    return { from: `${value}-01`, until: lastDayOf(value) }
  }
  const next = isChosen ? chosen.filter((each) => each !== value) : [...chosen, value]
  return { [fields[name]]: next.join(', ') || undefined }
}

/** `2026-02` → `2026-02-28` */
function lastDayOf(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const day = new Date(Date.UTC(year, number, 0)).getUTCDate()
  return `${month}-${day}`
}
