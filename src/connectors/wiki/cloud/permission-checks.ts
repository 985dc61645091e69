import { createLimiter } from '../../../concurrency.ts'
import { allowsVisitors, type VisitorTransports } from '../access/visitors.ts'
import type { PermissionChecksClient } from '../client.ts'
import * as wire from '../responses.ts'
import { listReaders } from '../transport/lists.ts'

/** Below the initial pace of a wiki, so that permission checks do not raise the pace. */
const CONCURRENCY = 3

/** The wiki's own permission checks, which cover restrictions it does not list. */
export function cloudPermissionChecks({ transport, visitor }: VisitorTransports): PermissionChecksClient {
  const { byOffset } = listReaders(transport)
  const limit = createLimiter(CONCURRENCY)

  return {
    permits: async ({ pageId, subject, operation }, signal) => {
      const doing = `checking who may ${operation} page ${pageId}`
      if (subject.kind === 'visitor') {
        const probe = {
          doing,
          path: `/api/v2/pages/${encodeURIComponent(pageId)}`,
          response: wire.pageResponse,
        }
        return allowsVisitors(visitor, probe, signal)
      }
      const path = `/rest/api/content/${encodeURIComponent(pageId)}/permission/check`
      const body = { subject: { type: subject.kind, identifier: subject.id }, operation }
      const request = { doing, path, body, response: wire.checkResponse }
      return (await limit(() => transport.send(request, signal))).hasPermission
    },

    groups: async (signal) => {
      const request = { doing: 'listing the groups', path: '/rest/api/group' }
      return (await byOffset(request, wire.groupResponse, signal)).flatMap(({ id }) => (id ? [id] : []))
    },
  }
}
