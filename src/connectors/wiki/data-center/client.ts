import { siteNaming } from '../../../permissions/principals.ts'
import { EXPAND_BOTH } from '../access/read-restrictions.ts'
import type { VisitorTransports } from '../access/visitors.ts'
import type { WikiClient } from '../client.ts'
import { metadataFields, restrictionsClient } from '../restrictions-client.ts'
import { type DataCenterOptions, dataCenterContent } from './content.ts'
import { contentByIds } from './content-by-ids.ts'
import { createDisplayNames } from './display-names.ts'
import { dataCenterFiles } from './files.ts'
import { dataCenterMentions } from './mentions.ts'
import { PAGES_PER_REQUEST } from './page-lists.ts'
import { dataCenterPeople } from './people.ts'
import { restrictions } from './responses.ts'
import { dataCenterSearch } from './search.ts'
import { dataCenterSpacePermissions } from './space-permissions.ts'

/** Versions 7.x to 10.x; an unknown version tries the newer endpoints first. */
export function dataCenterClient(transports: VisitorTransports, options: DataCenterOptions): WikiClient {
  const { transport } = transports
  const names = createDisplayNames()
  const byIds = contentByIds(transport)
  const lists = { ...transport, wire: restrictions, expandBoth: EXPAND_BOTH.dataCenter }
  const window = { expand: metadataFields(options.includes), limit: PAGES_PER_REQUEST }
  return {
    site: transport.site,
    superGroup: 'confluence-administrators',
    permissionChecks: null,
    naming: siteNaming(transport.site.name, 'per site'),
    containers: async function* () {},
    ...dataCenterContent(transport, { ...options, byIds }),
    ...restrictionsClient(lists, (ids, signal) =>
      byIds.found({ doing: 'reading restrictions', ids, ...window }, signal),
    ),
    ...dataCenterFiles(transport),
    ...dataCenterSearch(transport),
    ...dataCenterSpacePermissions(transports, options.version),
    ...dataCenterPeople(transport, names, options.version),
    ...dataCenterMentions(transport, names),
  }
}
