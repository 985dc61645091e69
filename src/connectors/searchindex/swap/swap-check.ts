import { AppError } from '../../../errors.ts'
import type { CheckStep } from '../../../report.ts'
import type { SearchClient } from '../client.ts'
import { heldPrivileges } from '../privileges.ts'
import { privilegesFix, readAlias, SWAP_PRIVILEGES } from './alias.ts'

/** Without this step, a job would find missing privileges only after hours. */
export async function checkSwap(client: SearchClient, signal: AbortSignal): Promise<CheckStep> {
  const name = 'swap'
  const { address } = client
  try {
    const { id } = await readAlias(client, signal)
    const names = [address.index, id.name, `${address.index}-*`]
    if (!address.engine?.reportsPrivileges)
      return {
        name,
        status: 'warning',
        detail: `the cluster does not report whether ${address.index} can be swapped`,
      }
    const held = await heldPrivileges(client, { names, privileges: SWAP_PRIVILEGES }, signal)
    const lacking = names.filter((each) => SWAP_PRIVILEGES.some((privilege) => !held[each]?.[privilege]))
    if (lacking.length === 0) return { name, status: 'ok', detail: `${address.index} can be swapped` }
    const detail = `a workflow swaps this index, and ${address.credentials.holder} lacks privileges on ${lacking.join(', ')}`
    return { name, status: 'warning', detail, fix: privilegesFix(client) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { message, fix } = error
    return {
      name,
      status: 'warning',
      detail: `a workflow swaps this index: ${message}`,
      ...(fix ? { fix } : {}),
    }
  }
}
