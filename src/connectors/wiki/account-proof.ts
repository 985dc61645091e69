import { AppError } from '../../errors.ts'
import type { Account } from './access/accounts.ts'
import type { WikiClient } from './client.ts'
import { SIGN_IN_FIX } from './transport/response-errors.ts'
import type { SignedTransport } from './transport/transport.ts'

/** Proves that what was read is what the account sees that the source was opened with. */
export type AccountProof = {
  /** Covers all responses so far. */
  mark(): number
  /** Fails unless the responses up to the mark were for the account. */
  prove(mark: number, signal: AbortSignal): Promise<void>
}

/**
 * A wiki that admits visitors answers expired credentials as it answers visitors: other pages seem to be gone. The
 * transport fails on responses that say so, but not every proxy passes the header on. Responses without the header are
 * proved together: after they were read, the wiki names the account once more.
 */
export function createAccountProof(
  { unsignedCount }: Pick<SignedTransport, 'unsignedCount'>,
  client: Pick<WikiClient, 'site' | 'me'>,
  account: Account,
): AccountProof {
  let proved = 0
  return {
    mark: unsignedCount,
    prove: async (mark, signal) => {
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
