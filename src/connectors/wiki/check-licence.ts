import type { CheckStep } from '../connector.ts'
import type { WikiClient } from './client.ts'
import { unlessTheJobEnds } from './directory.ts'

export const LICENCE_STEP = 'read licences'

/** Whether the wiki tells who may use the product, by the own account; null where nothing depends on it. */
export async function checkLicence(client: WikiClient, signal: AbortSignal): Promise<CheckStep | null> {
  // Data Center has no permission for all licensed users.
  if (!client.checks) return null
  const account = await client
    .me(signal)
    .then(({ id }) => client.account(id, signal))
    .catch(unlessTheJobEnds)
  if (account && account.licensed !== null)
    return { name: LICENCE_STEP, status: 'ok', detail: 'the wiki tells which accounts may use it' }
  return {
    name: LICENCE_STEP,
    status: 'warning',
    detail:
      'the wiki does not tell whether the own account may use it, and so probably of no account: ' +
      'people granted through all-licensed-users will find nothing',
    fix: 'Let the account, and its token, look up accounts; or grant permissions to groups',
  }
}
