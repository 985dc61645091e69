import { createLimiter } from '../../../concurrency.ts'
import { allowsVisitors, type VisitorTransports } from '../access/visitors.ts'
import * as wire from '../answers.ts'
import type { Checks } from '../client.ts'
import { wholeLists } from '../transport/lists.ts'

/** Below the pace at which a wiki is first asked, so that hundreds of checks do not raise it. */
const CHECKS_AT_ONCE = 3

/** The wiki's own answer to who may read a page: the space and every restriction count, told or not. */
export function cloudChecks({ transport, visitor }: VisitorTransports): Checks {
  const { byOffset } = wholeLists(transport)
  const limit = createLimiter(CHECKS_AT_ONCE)

  return {
    may: async ({ pageId, subject, operation }, signal) => {
      const doing = `checking who may ${operation} page ${pageId}`
      if (subject.kind === 'visitor') {
        const probe = { doing, path: `/api/v2/pages/${encodeURIComponent(pageId)}`, answer: wire.pageAnswer }
        return allowsVisitors(visitor, probe, signal)
      }
      const path = `/rest/api/content/${encodeURIComponent(pageId)}/permission/check`
      const body = { subject: { type: subject.kind, identifier: subject.id }, operation }
      const question = { doing, path, body, answer: wire.checkAnswer }
      return (await limit(() => transport.ask(question, signal))).hasPermission
    },

    groups: async (signal) => {
      const question = { doing: 'listing the groups', path: '/rest/api/group' }
      return (await byOffset(question, wire.groupAnswer, signal)).flatMap(({ id }) => (id ? [id] : []))
    },
  }
}
