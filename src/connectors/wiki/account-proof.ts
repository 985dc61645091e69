import { AppError } from '../../errors.ts'
import type { Account } from './access/accounts.ts'
import type { WikiClient } from './client.ts'
import { SIGN_IN_FIX } from './transport/response-errors.ts'
import type { SignedTransport } from './transport/transport.ts'

export type AccountProof = ReturnType<typeof createAccountProof>

/**
 * Proves that what was read is what the account of the source sees. A wiki that admits visitors answers expired credentials
 * as it answers visitors: other pages seem to be gone. The transport fails on responses that say so, but not every proxy
 * passes the header on. Responses without the header are proved together: after them, the wiki names the account again.
 */
export function createAccountProof(
  { unsignedCount }: Pick<SignedTransport, 'unsignedCount'>,
  client: Pick<WikiClient, 'site' | 'me'>,
  account: Account,
) {
  let proved = 0
  return {
    /** Covers all responses so far. */
    mark: unsignedCount,
    /** Fails unless the responses up to the mark were for the account. */
    prove: async (mark: number, signal: AbortSignal) => {
      if (mark <= proved) return
      const before = unsignedCount()
      const { id } = await client.me(signal)
      if (id !== account.id) throw anotherAccount(client.site.name)
      proved = Math.max(proved, before)
    },
  }
}

function anotherAccount(site: string): AppError {
  return new AppError('source_unauthorized', `${site} now answers as another account than before`, {
    fix: SIGN_IN_FIX,
  })
}
