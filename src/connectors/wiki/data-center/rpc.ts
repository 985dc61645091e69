import { AppError } from '../../../errors.ts'
import { ANONYMOUS } from '../../../permissions/principals.ts'
import type { Grant, Principal } from '../access/permissions.ts'
import {
  isNotFound,
  isSignedOut,
  nullIfMissing,
  statusOfError,
  type WikiTransport,
} from '../transport/transport.ts'
import * as wire from './responses.ts'

const OPERATIONS: Record<string, string> = {
  VIEWSPACE: 'read/space',
  EDITSPACE: 'create/page',
  EDITBLOG: 'create/blogpost',
  REMOVEPAGE: 'delete/page',
  REMOVEBLOG: 'delete/blogpost',
  REMOVEOWNCONTENT: 'delete/space',
  SETSPACEPERMISSIONS: 'administer/space',
}

/** Space permissions before 9.1. The old remote API returns user names, each looked up once. */
export function createRpcGrants({ send, site }: WikiTransport) {
  const keys = new Map<string, Promise<string | null>>()

  function keyOf(username: string, signal: AbortSignal): Promise<string | null> {
    const known = keys.get(username) ?? lookUp(username, signal)
    keys.set(username, known)
    known.catch(() => keys.delete(username))
    return known
  }

  /** Null if the account is gone. */
  async function lookUp(username: string, signal: AbortSignal): Promise<string | null> {
    const request = { doing: `looking up user ${username}`, path: '/rest/api/user', query: { username } }
    const row = await send({ ...request, response: wire.serverAccountResponse }, signal).catch(nullIfMissing)
    return row?.accountId ?? null
  }

  return async (key: string, signal: AbortSignal): Promise<Grant[]> => {
    const doing = `reading the permissions of space ${key}`
    const path = '/rpc/json-rpc/confluenceservice-v2'
    const body = { jsonrpc: '2.0', id: 1, method: 'getSpacePermissionSets', params: [key] }
    const { result } = await send({ doing, path, body, response: wire.permissionSetsResponse }, signal).catch(
      (error) => {
        throw explainError(doing, site.name, error)
      },
    )
    if (!result) {
      const message = `${doing}: ${site.name} shows them only to administrators of the space`
      throw new AppError('source_forbidden', message, {
        fix: 'Make the account an administrator of the space',
      })
    }
    const grants = result.flatMap(({ type, spacePermissions }) => {
      const operation = OPERATIONS[type]
      if (!operation) return []
      return (spacePermissions ?? []).map(async ({ userName, groupName }): Promise<Grant[]> => {
        const to = await principal({ userName, groupName }, signal)
        return to ? [{ to, operation }] : []
      })
    })
    return (await Promise.all(grants)).flat()
  }

  async function principal(
    { userName, groupName }: { userName?: string | null; groupName?: string | null },
    signal: AbortSignal,
  ): Promise<Principal | null> {
    if (groupName) return { kind: 'group', id: groupName }
    if (!userName) return { kind: 'class', id: ANONYMOUS }
    const key = await keyOf(userName, signal)
    return key ? { kind: 'user', id: key } : null
  }
}

/** The account signed in before, so a refusal concerns the remote API and does not end the job. */
function explainError(doing: string, site: string, error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const fixRemoteApi =
    'Switch on the remote API (General configuration, Further configuration), or upgrade to 9.1 or later'
  const refused = (reason: string, fix: string) =>
    new AppError('source_forbidden', `${doing}: ${reason}`, { cause: error, fix })
  if (error.code !== 'source_unauthorized')
    return isNotFound(error)
      ? refused(`${site} has no remote API, which versions before 9.1 need`, fixRemoteApi)
      : error
  if (isSignedOut(error)) return error
  if (statusOfError(error) === 401)
    return refused(`the remote API of ${site} is off, and versions before 9.1 need it`, fixRemoteApi)
  return refused(
    `${site} asks for an administrator's password again (secure administrator sessions)`,
    'Switch off secure administrator sessions for the account, or upgrade to 9.1 or later',
  )
}
