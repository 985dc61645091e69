import type { WikiClient } from './client.ts'
import { dataCenterContent } from './data-center-content.ts'
import { dataCenterPeople } from './data-center-people.ts'
import { dataCenterRestrictions } from './data-center-restrictions.ts'
import { type Doors, dataCenterRights } from './data-center-rights.ts'

/**
 * The endpoints as Confluence Data Center and Server have them, 7.x to 10.x. The version says which of two ways
 * to try first; where it is not known the newer one is tried, and the older where that is not there.
 */
export function dataCenterClient(doors: Doors, version: string | null): WikiClient {
  const { transport } = doors
  return {
    site: transport.site,
    superGroup: 'confluence-administrators',
    ...dataCenterContent(transport, version),
    ...dataCenterRestrictions(transport),
    ...dataCenterRights(doors, version),
    ...dataCenterPeople(transport),
  }
}
