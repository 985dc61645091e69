import { createLimiter } from '../../../concurrency.ts'
import { allowsVisitors, type VisitorTransports } from '../access/visitors.ts'
import type { Checks } from '../client.ts'
import * as wire from '../responses.ts'
import { listReaders } from '../transport/lists.ts'

/** Below the initial pace of a wiki, so that checks do not raise it. */
const CONCURRENCY = 3

/** The wiki's own checks, which cover restrictions it does not list. */
export function cloudChecks({ transport, visitor }: VisitorTransports): Checks {
  const { byOffset } = listReaders(transport)
  const limit = createLimiter(CONCURRENCY)

  return {
    may: async ({ pageId, subject, operation }, signal) => {
      const doing = `checking who may ${operation} page ${pageId}`
      if (subject.kind === 'visitor') {
        const probe = {
          doing,
          path: `/api/v2/pages/${encodeURIComponent(pageId)}`,
          response: wire.pageAnswer,
        }
        return allowsVisitors(visitor, probe, signal)
      }
      const path = `/rest/api/content/${encodeURIComponent(pageId)}/permission/check`
      const body = { subject: { type: subject.kind, identifier: subject.id }, operation }
      const question = { doing, path, body, response: wire.checkAnswer }
      return (await limit(() => transport.ask(question, signal))).hasPermission
    },

    groups: async (signal) => {
      const question = { doing: 'listing the groups', path: '/rest/api/group' }
      return (await byOffset(question, wire.groupAnswer, signal)).flatMap(({ id }) => (id ? [id] : []))
    },
  }
}
