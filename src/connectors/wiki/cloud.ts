import type { WikiClient } from './client.ts'
import { cloudContent } from './cloud-content.ts'
import { cloudPeople } from './cloud-people.ts'
import { cloudRestrictions } from './cloud-restrictions.ts'
import { cloudRights } from './cloud-rights.ts'
import type { Transport } from './transport.ts'

/** The endpoints as Confluence Cloud has them. */
export function cloudClient(transport: Transport): WikiClient {
  return {
    site: transport.site,
    superGroup: null,
    ...cloudContent(transport),
    ...cloudRestrictions(transport),
    ...cloudRights(transport),
    ...cloudPeople(transport),
  }
}
