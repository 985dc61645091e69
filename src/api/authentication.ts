import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Caller, Keys } from '../accounts/keys.ts'
import { AppError } from '../errors.ts'

// Nobody mistypes a key once a second; a script with a wrong one, or one that guesses, does.
const WRONG_PER_MINUTE = 60
const MINUTE_MS = 60_000

type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>

/**
 * Who is calling. An address that keeps sending unknown keys is answered without a look into the database, while
 * keys that have worked before go on working from there: it may be the address of a whole office.
 */
export function authentication(keys: Keys): Authenticate {
  const wrong = new LRUCache<string, { count: number }>({ max: 10_000, ttl: MINUTE_MS })

  return async (request, reply) => {
    const key = keyOf(request)
    if (!key)
      throw new AppError('unauthorized', 'API key is missing, please provide an API key in the header.')
    const counted = wrong.get(request.ip)
    if (counted && counted.count >= WRONG_PER_MINUTE && !keys.isFamiliar(key)) {
      reply.header('retry-after', Math.max(1, Math.ceil(wrong.getRemainingTTL(request.ip) / 1000)))
      throw new AppError('rate_limited', 'too many unknown API keys from this address')
    }
    const caller = await keys.caller(key)
    if (caller) return caller
    if (counted) counted.count++
    else wrong.set(request.ip, { count: 1 })
    throw new AppError('unauthorized', 'this API key is not known, or is disabled')
  }
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1]
  return [bearer, headers['x-api-key'], headers['unstructured-api-key']].flat().find((key) => key)
}
