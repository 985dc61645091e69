import { z } from 'zod'
import type { Permitting } from '../client.ts'
import type { Transport } from '../transport/transport.ts'

/** A refusal is an answer and no error. Asking about others needs an administrator of the wiki. */
const answer = z.object({ hasPermission: z.boolean() })

export function cloudPermits({ ask }: Transport) {
  return async ({ user, pageId, operation }: Permitting, signal: AbortSignal): Promise<boolean> => {
    const doing = `checking what ${user} may do with page ${pageId}`
    const path = `/rest/api/content/${encodeURIComponent(pageId)}/permission/check`
    const body = { subject: { type: 'user', identifier: user }, operation }
    return (await ask({ doing, path, body, answer }, signal)).hasPermission
  }
}
