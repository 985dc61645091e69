import { siteNaming } from '../../../access.ts'
import type { VisitorTransports } from '../access/visitors.ts'
import type { WikiClient } from '../client.ts'
import { type ContentFields, dataCenterContent } from './content.ts'
import { dataCenterFiles } from './files.ts'
import { dataCenterMentions } from './mentions.ts'
import { dataCenterPeople } from './people.ts'
import { dataCenterRestrictions } from './restrictions.ts'
import { dataCenterSearch } from './search.ts'
import { dataCenterSpacePermissions } from './space-permissions.ts'

/** Versions 7.x to 10.x; an unknown version tries the newer endpoints first. */
export function dataCenterClient(transports: VisitorTransports, fields: ContentFields): WikiClient {
  const { transport } = transports
  return {
    site: transport.site,
    superGroup: 'confluence-administrators',
    checks: null,
    naming: siteNaming(transport.site.name, 'per site'),
    ...dataCenterContent(transport, fields),
    ...dataCenterRestrictions(transport, fields.wants),
    ...dataCenterFiles(transport),
    ...dataCenterSearch(transport),
    ...dataCenterSpacePermissions(transports, fields.version),
    ...dataCenterPeople(transport),
    ...dataCenterMentions(transport),
  }
}
