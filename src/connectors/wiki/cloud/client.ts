import { siteNaming } from '../../../access.ts'
import type { Wants, WikiClient } from '../client.ts'
import type { Doors } from '../visitors.ts'
import { cloudContent } from './content.ts'
import { cloudFiles } from './files.ts'
import { cloudPeople } from './people.ts'
import { cloudPermits } from './permits.ts'
import { cloudRestrictions } from './restrictions.ts'
import { cloudRights } from './rights.ts'
import { cloudSearch } from './search.ts'

/** The endpoints as Confluence Cloud has them. */
export function cloudClient(doors: Doors, wants: Wants): WikiClient {
  const { transport } = doors
  return {
    site: transport.site,
    superGroup: null,
    naming: siteNaming(transport.site.name, 'global'),
    ...cloudContent(transport),
    ...cloudRestrictions(transport, wants),
    ...cloudFiles(transport),
    ...cloudSearch(transport),
    ...cloudRights(doors),
    ...cloudPeople(transport),
    permits: cloudPermits(transport),
  }
}
