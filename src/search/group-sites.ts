import { invalid } from '../errors.ts'
import { unescapeName } from '../permissions/principals.ts'

/** In `SITE/NAME` the name may be escaped (`%2F`). A name alone is not unescaped, and valid only with one site. */
export function groupsBySite(groups: string[], sites: string[]): Map<string, string[]> {
  const bySite = new Map<string, string[]>()
  groups.forEach((group, index) => {
    const site = matchingSite(group, sites) ?? onlySite(sites, index)
    const name = group.startsWith(`${site}/`) ? unescapeName(group.slice(site.length + 1)) : group
    bySite.set(site, [...(bySite.get(site) ?? []), name])
  })
  return bySite
}

/** The longest match, because a site may be under the path of another. */
function matchingSite(group: string, sites: string[]): string | undefined {
  const matches = sites.filter((site) => group.startsWith(`${site}/`))
  return matches.sort((a, b) => b.length - a.length)[0]
}

function onlySite(sites: string[], index: number): string {
  const [only = '', other] = sites
  if (other === undefined) return only
  throw invalid(
    ['body', 'as', 'groups', index],
    `this destination holds ${sites.length} sites (${sites.join(', ')}): write a group as SITE/NAME, ` +
      `such as ${only}/NAME`,
  )
}
