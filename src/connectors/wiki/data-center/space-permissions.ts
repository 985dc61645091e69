import { AppError } from '../../../errors.ts'
import { ANONYMOUS } from '../../../permissions/principals.ts'
import type { Grant, Principal } from '../access/permissions.ts'
import { allowsVisitors, proveVisitorGrants, type VisitorTransports } from '../access/visitors.ts'
import type { SpacePermissionsClient } from '../client.ts'
import { isNotFound, nullIfMissing, statusOfError } from '../transport/transport.ts'
import * as wire from './responses.ts'
import { createRpcGrants } from './rpc.ts'
import { atLeast } from './version.ts'

/** Over REST since 9.1, over JSON-RPC before. There are no roles. */
export function dataCenterSpacePermissions(
  { transport, visitor }: VisitorTransports,
  version: string | null,
): SpacePermissionsClient {
  const { send, site } = transport
  const grantsByRpc = createRpcGrants(transport)

  async function readGrants(key: string, signal: AbortSignal): Promise<Grant[]> {
    if (!atLeast(version, '9.1')) return grantsByRpc(key, signal)
    try {
      return await grantsByRest(key, signal)
    } catch (error) {
      if (version !== null || !isNotFound(error)) throw error
      return grantsByRpc(key, signal)
    }
  }

  async function grantsByRest(key: string, signal: AbortSignal): Promise<Grant[]> {
    const doing = `reading the permissions of space ${key}`
    const path = `/rest/api/space/${encodeURIComponent(key)}/permissions`
    // Without permission the server responds with 500, so there are only two tries.
    const request = { doing, response: wire.permissionsResponse, tries: 2 }
    try {
      const named = await send({ ...request, path }, signal)
      const anonymous = await send({ ...request, path: `${path}/anonymous` }, signal).catch(nullIfMissing)
      return [...named.flatMap(toGrant), ...(anonymous ?? []).map(asAnonymous).flatMap(toGrant)]
    } catch (error) {
      if (statusOfError(error) !== 500) throw error
      throw new AppError(
        'source_forbidden',
        `${doing}: ${site.name} shows them only to administrators of the space (it answered 500)`,
        { cause: error, fix: 'Make the account an administrator of the space, or of the wiki' },
      )
    }
  }

  return {
    roles: async () => ({ mode: 'PRE_ROLES', permissions: new Map() }),
    grants: async ({ key }, _roles, signal) => {
      const path = `/rest/api/space/${encodeURIComponent(key)}`
      const probe = {
        doing: `reading space ${key} as a visitor`,
        path,
        response: wire.serverSpaceResponse,
      }
      return proveVisitorGrants(await readGrants(key, signal), () => allowsVisitors(visitor, probe, signal))
    },
  }
}

type Row = wire.PermissionRows[number]

function toGrant({ operation, subject }: Row): Grant[] {
  const to = toPrincipal(subject)
  if (!operation || !to) return []
  const { operationKey, targetType } = operation
  // Cloud's name for "delete own" is (delete, space).
  const key = operationKey === 'delete_own' ? 'delete' : operationKey
  return [{ to, operation: `${key}/${targetType}`.toLowerCase() }]
}

/** A subject of unknown kind gets nothing. */
function toPrincipal(subject: Row['subject']): Principal | null {
  if (subject?.type === 'user' && subject.userKey) return { kind: 'user', id: subject.userKey }
  if (subject?.type === 'group' && subject.name) return { kind: 'group', id: subject.name }
  return subject?.type === 'anonymous' ? { kind: 'class', id: ANONYMOUS } : null
}

/** The anonymous list may omit the subject. */
function asAnonymous({ operation, subject }: Row): Row {
  return { operation, subject: subject?.type ? subject : { type: 'anonymous' } }
}
