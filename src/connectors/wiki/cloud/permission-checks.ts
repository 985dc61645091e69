import { createLimiter } from '../../../concurrency.ts'
import { allowsVisitors, type VisitorTransports } from '../access/visitors.ts'
import type { PermissionCheck, PermissionChecksClient } from '../client.ts'
import * as wire from '../responses.ts'
import { listReaders } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'

/** Below the initial pace of a wiki, so that permission checks do not raise the pace. */
const CONCURRENCY = 3

/** The wiki's own permission checks, which cover restrictions it does not list. */
export function cloudPermissionChecks({ transport, visitor }: VisitorTransports): PermissionChecksClient {
  const { byOffset } = listReaders(transport)
  const limit = createLimiter(CONCURRENCY)

  return {
    checkPermission: async ({ pageId, subject, operation }, signal) => {
      if (subject.kind === 'visitor' && visitor) {
        const doing = `reading page ${pageId} as a visitor`
        const path = `/api/v2/pages/${encodeURIComponent(pageId)}`
        return allowsVisitors(visitor, { doing, path, response: wire.pageResponse }, signal)
      }
      return limit(() => checkPermission(transport, { pageId, subject, operation }, signal))
    },

    groups: async (signal) => {
      const request = { doing: 'listing the groups', path: '/rest/api/group' }
      return (await byOffset(request, wire.groupResponse, signal)).flatMap(({ id }) => (id ? [id] : []))
    },
  }
}

/** The wiki's name for visitors, who can only be checked for if no request reaches it without credentials. */
const VISITOR = { type: 'user', identifier: 'anonymous' }

export async function checkPermission(
  { send }: Pick<WikiTransport, 'send'>,
  { pageId, subject, operation }: PermissionCheck,
  signal: AbortSignal,
): Promise<boolean> {
  const doing = `checking who may ${operation} page ${pageId}`
  const path = `/rest/api/content/${encodeURIComponent(pageId)}/permission/check`
  const named = subject.kind === 'visitor' ? VISITOR : { type: subject.kind, identifier: subject.id }
  const body = { subject: named, operation }
  return (await send({ doing, path, body, response: wire.checkResponse }, signal)).hasPermission
}
