import { AppError } from '../../../errors.ts'
import type { CheckStep } from '../../connector.ts'
import type { SearchClient } from '../client.ts'
import { readAlias, rightsFix, SWAP_RIGHTS } from './alias.ts'

/** Without this step, a job would find missing privileges only after hours. */
export async function checkSwap(client: SearchClient, signal: AbortSignal): Promise<CheckStep> {
  const name = 'swap'
  const { place } = client
  try {
    const { at } = await readAlias(client, signal)
    const names = [place.index, at.name, `${place.index}-*`]
    if (!place.engine?.tellsPrivileges)
      return {
        name,
        status: 'warning',
        detail: `the cluster does not say whether ${place.index} can be swapped`,
      }
    const answer = await client.once<{ index?: Record<string, Record<string, boolean>> }>(
      'asking for privileges on',
      {
        method: 'POST',
        path: '/_security/user/_has_privileges',
        body: { index: [{ names, privileges: SWAP_RIGHTS }] },
      },
      signal,
    )
    const lacking = names.filter((each) => SWAP_RIGHTS.some((right) => !answer.index?.[each]?.[right]))
    if (lacking.length === 0) return { name, status: 'ok', detail: `${place.index} can be swapped` }
    const detail = `a workflow swaps this index, and ${place.credentials.holder} has not all rights on ${lacking.join(', ')}`
    return { name, status: 'warning', detail, fix: rightsFix(client) }
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
