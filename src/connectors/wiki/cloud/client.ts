import { siteNaming } from '../../../permissions/principals.ts'
import type { VisitorTransports } from '../access/visitors.ts'
import type { PageIncludes, WikiClient } from '../client.ts'
import { cloudContainers } from './containers.ts'
import { cloudContent } from './content.ts'
import { cloudFiles } from './files.ts'
import { cloudMentions } from './mentions.ts'
import { cloudPeople } from './people.ts'
import { cloudPermissionChecks } from './permission-checks.ts'
import { cloudRestrictionsClient } from './restrictions.ts'
import { cloudSearch } from './search.ts'
import { cloudSpacePermissions } from './space-permissions.ts'

export function cloudClient(transports: VisitorTransports, includes: PageIncludes): WikiClient {
  const { transport } = transports
  return {
    site: transport.site,
    superGroup: null,
    permissionChecks: cloudPermissionChecks(transports),
    naming: siteNaming(transport.site.name, 'global'),
    ...cloudContent(transport),
    ...cloudContainers(transport),
    ...cloudRestrictionsClient(transport, includes),
    ...cloudFiles(transport),
    ...cloudSearch(transport),
    ...cloudSpacePermissions(transports),
    ...cloudPeople(transport),
    ...cloudMentions(transport),
  }
}
