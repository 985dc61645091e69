import * as wire from '../answers.ts'
import type { Checks } from '../client.ts'
import { wholeLists } from '../transport/lists.ts'
import { type Doors, letsVisitorsIn } from '../visitors.ts'

/** The wiki's own answer to who may read a page: the space and every restriction count, told or not. */
export function cloudChecks({ transport, visitor }: Doors): Checks {
  const { byOffset } = wholeLists(transport)

  return {
    may: async ({ pageId, subject, operation }, signal) => {
      const doing = `checking who may ${operation} page ${pageId}`
      if (subject.kind === 'visitor') {
        const probe = { doing, path: `/api/v2/pages/${encodeURIComponent(pageId)}`, answer: wire.pageAnswer }
        return letsVisitorsIn(visitor, probe, signal)
      }
      const path = `/rest/api/content/${encodeURIComponent(pageId)}/permission/check`
      const body = { subject: { type: subject.kind, identifier: subject.id }, operation }
      const answer = await transport.ask({ doing, path, body, answer: wire.checkAnswer }, signal)
      return answer.hasPermission
    },

    groups: async (signal) => {
      const question = { doing: 'listing the groups', path: '/rest/api/group' }
      return (await byOffset(question, wire.groupAnswer, signal)).flatMap(({ id }) => (id ? [id] : []))
    },
  }
}
