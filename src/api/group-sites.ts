import { unescaped } from '../access.ts'
import { invalid } from './errors.ts'

/** In `SITE/NAME` the name may be escaped (`%2F`). A name alone is not unescaped, and valid only with one site. */
export function groupsBySite(groups: string[], sites: string[]): Map<string, string[]> {
  const bySite = new Map<string, string[]>()
  groups.forEach((group, at) => {
    const site = siteIn(group, sites) ?? onlySite(sites, at)
    const name = group.startsWith(`${site}/`) ? unescaped(group.slice(site.length + 1)) : group
    bySite.set(site, [...(bySite.get(site) ?? []), name])
  })
  return bySite
}

/** The longest match, because a site may be under the path of another. */
function siteIn(group: string, sites: string[]): string | undefined {
  const named = sites.filter((site) => group.startsWith(`${site}/`))
  return named.sort((a, b) => b.length - a.length)[0]
}

function onlySite(sites: string[], at: number): string {
  const [only = '', other] = sites
  if (other === undefined) return only
  throw invalid(
    ['body', 'as', 'groups', at],
    `this destination holds ${sites.length} sites (${sites.join(', ')}): write a group as SITE/NAME, ` +
      `such as ${only}/NAME`,
  )
}
