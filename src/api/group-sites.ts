import { unescaped } from '../access.ts'
import { invalid } from './errors.ts'

/** Groups by site. In `SITE/NAME` the name may be escaped (`%2F`); a bare name needs a single site, and is literal. */
export function groupsBySite(groups: string[], sites: string[]): Map<string, string[]> {
  const bySite = new Map<string, string[]>()
  groups.forEach((group, at) => {
    const site = siteIn(group, sites) ?? onlyOf(sites, at)
    const name = group.startsWith(`${site}/`) ? unescaped(group.slice(site.length + 1)) : group
    bySite.set(site, [...(bySite.get(site) ?? []), name])
  })
  return bySite
}

/** The longest match: a site may be below another on one host. */
function siteIn(group: string, sites: string[]): string | undefined {
  const named = sites.filter((site) => group.startsWith(`${site}/`))
  return named.sort((a, b) => b.length - a.length)[0]
}

function onlyOf(sites: string[], at: number): string {
  const [only = '', other] = sites
  if (other === undefined) return only
  throw invalid(
    ['body', 'as', 'groups', at],
    `this destination holds ${sites.length} sites (${sites.join(', ')}): write a group as SITE/NAME, ` +
      `such as ${only}/NAME`,
  )
}
