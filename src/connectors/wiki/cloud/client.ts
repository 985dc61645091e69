import type { Wants, WikiClient } from '../client.ts'
import type { Transport } from '../transport/transport.ts'
import { cloudContent } from './content.ts'
import { cloudFiles } from './files.ts'
import { cloudPeople } from './people.ts'
import { cloudPermits } from './permits.ts'
import { cloudRestrictions } from './restrictions.ts'
import { cloudRights } from './rights.ts'
import { cloudSearch } from './search.ts'

/** The endpoints as Confluence Cloud has them. */
export function cloudClient(transport: Transport, wants: Wants): WikiClient {
  return {
    site: transport.site,
    superGroup: null,
    ...cloudContent(transport),
    ...cloudRestrictions(transport, wants),
    ...cloudFiles(transport),
    ...cloudSearch(transport),
    ...cloudRights(transport),
    ...cloudPeople(transport),
    permits: cloudPermits(transport),
  }
}
