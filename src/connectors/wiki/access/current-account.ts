import type { z } from 'zod'
import { AppError } from '../../../errors.ts'
import type { AccountResponse } from '../responses.ts'
import { SIGN_IN_FIX } from '../transport/response-errors.ts'
import { isGateway } from '../transport/site.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { type Account, toAccount } from './accounts.ts'

type SignIn = { response: z.ZodType<AccountResponse>; fix?: string; tries?: number | undefined }

/** The account of the credentials; fails if the wiki answers as for a visitor. */
export async function currentAccount(
  { send, site }: Pick<WikiTransport, 'send' | 'site'>,
  { response, fix = SIGN_IN_FIX, tries }: SignIn,
  signal: AbortSignal,
): Promise<Account> {
  const request = { doing: 'signing in', path: '/rest/api/user/current', response }
  const row = await send({ ...request, ...(tries ? { tries } : {}) }, signal).catch((error) => {
    // A wiki may refuse visitors with 403, as it refuses wrong credentials. At the gateway 403 may be a missing scope.
    if (!(error instanceof AppError) || error.code !== 'source_forbidden' || isGateway(site)) throw error
    throw new AppError('source_unauthorized', error.message, { cause: error.cause, fix })
  })
  const [account] = toAccount(row)
  if (account) return account
  throw new AppError('source_unauthorized', `signing in: ${site.name} did not recognise the credentials`, {
    fix,
  })
}
