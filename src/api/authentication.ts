import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Identity } from '../accounts/identity.ts'
import type { Keys } from '../accounts/keys.ts'
import { type Caller, isAtLeast, type Person, type Role } from '../accounts/roles.ts'
import { networkOf } from '../accounts/sign-in-limits.ts'
import { AppError } from '../errors.ts'
import { roleIn } from '../store/accounts/members.ts'
import type { Database } from '../store/database.ts'
import { type Declaration, isId } from './context.ts'
import { invalid, notFound } from './errors.ts'
import { refuseForeign, sendCookies, toFetchRequest } from './origin.ts'

// Nobody mistypes a key once a second; a script with a wrong one, or one that guesses, does.
const WRONG_PER_MINUTE = 60
const MINUTE_MS = 60_000

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
type Knowing = { db: Database; keys: Keys; identity: Identity }

/** Who is calling, and whether the route is for them. A key speaks for itself, also where a cookie comes along. */
export function authentication({ db, keys, identity }: Knowing): Hook {
  const callerByKey = keyholders(keys)

  return async (request, reply) => {
    const { allows, keys: takesKeys } = request.routeOptions.config as Declaration
    if (allows === 'anyone') return
    const key = keyOf(request)
    if (key) {
      const caller = await callerByKey(key, request, reply)
      if (!takesKeys)
        throw new AppError('forbidden', 'an API key cannot do this; it needs a person who signs in')
      const chosen = chosenWorkspace(request)
      if (chosen && chosen !== caller.workspaceId) throw notFound('Workspace')
      // A key does what its routes say, whatever role a person would need there.
      request.caller = caller
      return
    }
    request.person = await personBy(identity, request, reply)
    if (!request.person)
      throw new AppError('unauthorized', 'API key is missing, please provide an API key in the header.')
    refuseForeign(request)
    if (allows !== 'person') request.caller = await memberBy(db, request, { person: request.person, allows })
  }
}

/**
 * Whether whoever was let in would be let in now: their key or session is valid and their role is enough. For answers
 * that last; it changes nothing, neither cookies nor how long a session lasts.
 */
export async function isStillAdmitted(
  { db, keys, identity }: Knowing,
  request: FastifyRequest,
): Promise<boolean> {
  const { allows } = request.routeOptions.config as Declaration
  const { caller, person } = request
  if (caller?.kind === 'key') return (await keys.caller(keyOf(request) ?? ''))?.id === caller.id
  if (!person) return allows === 'anyone'
  const { headers } = toFetchRequest(request, '/')
  if ((await identity.signedIn(headers, { prolong: false }))?.person.id !== person.id) return false
  if (!caller) return true
  const role = await roleIn(db, caller.workspaceId, person.id)
  return role !== null && isAtLeast(role, allows as Role)
}

/** The person of the session cookie, if there is one; the session is prolonged on the way. */
export async function personBy(
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

async function memberBy(
  db: Database,
  request: FastifyRequest,
  { person, allows }: { person: Person; allows: Role },
): Promise<Caller> {
  const workspaceId = chosenWorkspace(request)
  if (!workspaceId) throw invalid(['headers', 'X-Workspace'], 'a workspace has to be chosen', 'missing')
  const role = isId(workspaceId) ? await roleIn(db, workspaceId, person.id) : null
  if (!role) throw notFound('Workspace')
  if (!isAtLeast(role, allows)) {
    throw new AppError('forbidden', `this needs the role ${allows}; yours in this workspace is ${role}`)
  }
  return { kind: 'person', id: person.id, actor: `person:${person.id}`, workspaceId, role }
}

/** Routes about a workspace have it in their path; all others are told by the header. */
function chosenWorkspace({ params, headers }: FastifyRequest): string | undefined {
  const { workspace_id: inPath } = params as { workspace_id?: string }
  const header = headers['x-workspace']
  return (inPath ?? (typeof header === 'string' && header ? header : undefined))?.toLowerCase()
}

/**
 * A network that keeps sending unknown keys is answered without a look into the database, while keys that have
 * worked before go on working from there: it may be the address of a whole office.
 */
function keyholders(keys: Keys) {
  const wrong = new LRUCache<string, { count: number }>({ max: 10_000, ttl: MINUTE_MS })

  return async (key: string, request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const network = networkOf(request.ip)
    const counted = wrong.get(network)
    if (counted && counted.count >= WRONG_PER_MINUTE && !keys.isFamiliar(key)) {
      reply.header('retry-after', Math.max(1, Math.ceil(wrong.getRemainingTTL(network) / 1000)))
      throw new AppError('rate_limited', 'too many unknown API keys from this address')
    }
    const caller = await keys.caller(key)
    if (caller) return caller
    if (counted) counted.count++
    else wrong.set(network, { count: 1 })
    throw new AppError('unauthorized', 'this API key is not known, or is disabled')
  }
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1]
  return [bearer, headers['x-api-key'], headers['unstructured-api-key']].flat().find((key) => key)
}
