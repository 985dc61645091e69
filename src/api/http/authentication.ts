import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { createAttemptLimit } from '../../accounts/attempt-limit.ts'
import type { Identity } from '../../accounts/identity.ts'
import type { Keys } from '../../accounts/keys.ts'
import { type Caller, isAtLeast, type Person, type Role } from '../../accounts/roles.ts'
import { networkOf } from '../../accounts/sign-in-limits.ts'
import { AppError, invalid, notFound } from '../../errors.ts'
import { roleIn } from '../../store/accounts/members.ts'
import type { LimitCounts } from '../../store/counts/counts.ts'
import type { Database } from '../../store/database.ts'
import { isId, type RouteDeclaration } from './context.ts'
import { requireOwnPage, sendCookies, toFetchRequest } from './origin.ts'

// Only a script sends a wrong key every second.
const UNKNOWN_KEYS = { name: 'unknown key', max: 60, windowMs: 60_000 }

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
type AuthDependencies = { db: Database; keys: Keys; identity: Identity; counts: LimitCounts }

/** Finds the caller and checks that the route allows it. A key takes precedence over a cookie. */
export function authentication({ db, keys, identity, counts }: AuthDependencies): Hook {
  const callerOfKey = keyAuthentication(keys, counts)

  return async (request, reply) => {
    const { allows, keys: acceptsKeys } = request.routeOptions.config as RouteDeclaration
    if (allows === 'anyone') return
    const key = keyOf(request)
    if (key) {
      // One address answers each person differently, and headers name the person.
      reply.header('cache-control', 'no-store')
      const caller = await callerOfKey(key, request, reply)
      if (!acceptsKeys) throw new AppError('forbidden', 'an API key cannot do this; sign in as a person')
      if (caller.search && acceptsKeys !== 'search')
        throw new AppError('key_scope', 'this key may only search and read', { fix: 'Use a full key' })
      const selected = selectedWorkspace(request)
      if (selected && selected !== caller.workspaceId) throw notFound('Workspace')
      // Routes declare whether they accept keys; roles do not apply to them.
      request.caller = caller
      return
    }
    request.person = await signedInPerson(identity, request, reply)
    if (!request.person)
      throw new AppError('unauthorized', 'API key is missing, please provide an API key in the header.')
    requireOwnPage(request)
    if (allows !== 'person')
      request.caller = await memberCaller(db, request, { person: request.person, allows })
  }
}

/** Whether the caller may still call the route; checked during long responses. Does not prolong the session. */
export async function isStillAllowed(
  { db, keys, identity }: AuthDependencies,
  request: FastifyRequest,
): Promise<boolean> {
  const { allows } = request.routeOptions.config as RouteDeclaration
  const { caller, person } = request
  if (caller?.kind === 'key') return (await keys.caller(keyOf(request) ?? ''))?.id === caller.id
  if (!person) return allows === 'anyone'
  const { headers } = toFetchRequest(request, '/')
  if ((await identity.signedIn(headers, { prolong: false }))?.person.id !== person.id) return false
  if (!caller) return true
  const role = await roleIn(db, caller.workspaceId, person.id)
  return role !== null && isAtLeast(role, allows as Role)
}

/** The person of the session cookie; prolongs the session. */
export async function signedInPerson(
  identity: Identity,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Person | null> {
  if (!request.headers.cookie) return null
  const found = await identity.signedIn(toFetchRequest(request, '/').headers)
  if (!found) return null
  sendCookies(request, reply, found.cookies)
  reply.header('cache-control', 'no-store')
  return found.person
}

async function memberCaller(
  db: Database,
  request: FastifyRequest,
  { person, allows }: { person: Person; allows: Role },
): Promise<Caller> {
  const workspaceId = selectedWorkspace(request)
  if (!workspaceId)
    throw invalid(['headers', 'X-Workspace'], 'choose a workspace with this header', 'missing')
  const role = isId(workspaceId) ? await roleIn(db, workspaceId, person.id) : null
  if (!role) throw notFound('Workspace')
  if (!isAtLeast(role, allows)) {
    throw new AppError('forbidden', `this needs the role ${allows}; yours in this workspace is ${role}`)
  }
  return { kind: 'person', id: person.id, actor: `person:${person.id}`, workspaceId, role }
}

/** Workspace routes have the id in their path; the others use the header. */
function selectedWorkspace({ params, headers }: FastifyRequest): string | undefined {
  const { workspace_id: idInPath } = params as { workspace_id?: string }
  const header = headers['x-workspace']
  return (idInPath ?? (typeof header === 'string' && header ? header : undefined))?.toLowerCase()
}

/**
 * Skips the query for networks that send many unknown keys. Known keys still work, because an office shares one
 * address.
 */
function keyAuthentication(keys: Keys, counts: LimitCounts) {
  const unknownKeys = createAttemptLimit(counts, UNKNOWN_KEYS)
  const refused = new LRUCache<string, true>({ max: 10_000, ttl: UNKNOWN_KEYS.windowMs })

  return async (key: string, request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const network = networkOf(request.ip)
    const refuse = () => {
      reply.header('retry-after', Math.max(1, Math.ceil(refused.getRemainingTTL(network) / 1000)))
      throw new AppError('rate_limited', 'too many unknown API keys from this address')
    }
    if (refused.has(network) && !keys.hasWorked(key)) refuse()
    const caller = await keys.caller(key)
    if (caller) return caller
    const seconds = await unknownKeys.begin(network)
    if (seconds > 0) {
      refused.set(network, true, { ttl: seconds * 1000 })
      refuse()
    }
    throw new AppError('unauthorized', 'this API key is unknown, disabled or expired')
  }
}

export function keyOf({ headers }: FastifyRequest): string | undefined {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1]
  return [bearer, headers['x-api-key'], headers['unstructured-api-key']].flat().find((key) => key)
}
