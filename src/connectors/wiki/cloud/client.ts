import { siteNaming } from '../../../permissions/principals.ts'
import { EXPAND_BOTH } from '../access/read-restrictions.ts'
import type { VisitorTransports } from '../access/visitors.ts'
import type { PageIncludes, WikiClient } from '../client.ts'
import { cloudRestrictions } from '../responses.ts'
import { metadataFields, restrictionsClient } from '../restrictions-client.ts'
import { cloudContainers } from './containers.ts'
import { cloudContent } from './content.ts'
import { cloudFiles } from './files.ts'
import { cloudMentions } from './mentions.ts'
import { cloudPeople } from './people.ts'
import { cloudPermissionChecks } from './permission-checks.ts'
import { cloudSearch, searchByIds } from './search.ts'
import { cloudSpacePermissions } from './space-permissions.ts'

export function cloudClient(transports: VisitorTransports, includes: PageIncludes): WikiClient {
  const { transport } = transports
  const lists = { ...transport, wire: cloudRestrictions, expandBoth: EXPAND_BOTH.cloud }
  const expand = metadataFields(includes)
  return {
    site: transport.site,
    superGroup: null,
    permissionChecks: cloudPermissionChecks(transports),
    naming: siteNaming(transport.site.name, 'global'),
    ...cloudContent(transport),
    ...cloudContainers(transport),
    ...restrictionsClient(lists, (ids, signal) =>
      searchByIds(transport, { doing: 'reading restrictions', ids, expand }, signal),
    ),
    ...cloudFiles(transport),
    ...cloudSearch(transport),
    ...cloudSpacePermissions(transports),
    ...cloudPeople(transport),
    ...cloudMentions(transport),
  }
}
