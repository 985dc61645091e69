import * as wire from '../answers.ts'
import type { Checks } from '../client.ts'
import { wholeLists } from '../transport/lists.ts'
import type { Transport } from '../transport/transport.ts'

/** The wiki's own answer to who may read a page: the space and every restriction count, told or not. */
export function cloudChecks(transport: Transport): Checks {
  const { byOffset } = wholeLists(transport)

  return {
    mayRead: async (pageId, subject, signal) => {
      const doing = `checking who may read page ${pageId}`
      const path = `/rest/api/content/${encodeURIComponent(pageId)}/permission/check`
      const body = { subject: { type: subject.kind, identifier: subject.id }, operation: 'read' }
      const answer = await transport.ask({ doing, path, body, answer: wire.checkAnswer }, signal)
      return answer.hasPermission
    },

    groups: async (signal) => {
      const question = { doing: 'listing the groups', path: '/rest/api/group' }
      return (await byOffset(question, wire.groupAnswer, signal)).flatMap(({ id }) => (id ? [id] : []))
    },
  }
}
