import { unescaped } from '../access.ts'
import { invalid } from './errors.ts'

/**
 * Groups of a request by their sites. `SITE/NAME` names the site, with NAME as in a token (`%2F` for a slash) or
 * as it is; a bare name is accepted for a single site, and is always as it is.
 */
export function groupsBySite(groups: string[], sites: string[]): Map<string, string[]> {
  const bySite = new Map<string, string[]>()
  groups.forEach((group, at) => {
    const site = siteIn(group, sites) ?? onlyOf(sites, at)
    const name = group.startsWith(`${site}/`) ? unescaped(group.slice(site.length + 1)) : group
    bySite.set(site, [...(bySite.get(site) ?? []), name])
  })
  return bySite
}

/** The longest, since one site may lie below another on the same host; `%2F` names a group with a slash. */
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
