import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { IssuerFetch } from './issuer.ts'

type IssuerAddress = { issuer: string; jwks_url: string | null }

/** The keys of an issuer, and its name as tokens have it. */
export type IssuerKeys = (address: IssuerAddress) => Promise<{ issuer: string; key: JWTVerifyGetKey }>

const METADATA_TTL_MS = 3600_000
const KEYS_TTL_MS = 10 * 60_000
/** An unknown key id reads the keys again, at most this often. */
const COOLDOWN_MS = 30_000
const TIMEOUT_MS = 10_000
const MAX_ISSUERS = 1000

type Metadata = { issuer: string; jwks_uri: string }

const metadataShape = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })

/** Shared by all workspaces: keys are public and belong to their address. */
export function createIssuerKeys(fetchIssuer: IssuerFetch): IssuerKeys {
  const metadata = new LRUCache<string, Promise<Metadata>>({ max: MAX_ISSUERS, ttl: METADATA_TTL_MS })
  const keySets = new LRUCache<string, JWTVerifyGetKey>({ max: MAX_ISSUERS })

  function metadataOf(issuer: string): Promise<Metadata> {
    const cached = metadata.get(issuer)
    if (cached) return cached
    const reading = readMetadata(issuer, fetchIssuer)
    metadata.set(issuer, reading)
    // A failure is not cached.
    reading.catch(() => metadata.delete(issuer))
    return reading
  }

  function keysAt(url: string): JWTVerifyGetKey {
    const opened = keySets.get(url)
    if (opened) return opened
    const keySet = createRemoteJWKSet(new URL(url), {
      cacheMaxAge: KEYS_TTL_MS,
      cooldownDuration: COOLDOWN_MS,
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: async (address, { headers }) => {
        const request = { method: 'GET' as const, headers: Object.fromEntries(new Headers(headers)) }
        const response = await fetchIssuer(new URL(address), request).catch(providerFailed)
        if (response.status !== 200) throw failed(`its keys answer with ${response.status}`)
        return new Response(await response.text(), { status: 200 })
      },
    })
    const key: JWTVerifyGetKey = async (header, token) => keySet(header, token).catch(unlessToken)
    keySets.set(url, key)
    return key
  }

  return async ({ issuer, jwks_url: url }) => {
    if (url) return { issuer, key: keysAt(url) }
    const found = await metadataOf(issuer)
    return { issuer: found.issuer, key: keysAt(found.jwks_uri) }
  }
}

async function readMetadata(issuer: string, fetchIssuer: IssuerFetch): Promise<Metadata> {
  const base = issuer.replace(/\/$/, '')
  const address = new URL(`${base}/.well-known/openid-configuration`)
  const headers = { accept: 'application/json' }
  const response = await fetchIssuer(address, { method: 'GET', headers }).catch(providerFailed)
  if (response.status !== 200) throw failed(`its metadata answers with ${response.status}`)
  const { data } = metadataShape.safeParse(parseJson(await response.text()))
  if (!data) throw failed('its metadata does not follow OpenID Connect')
  if (data.issuer.replace(/\/$/, '') !== base) throw failed('its metadata names another issuer')
  return data
}

/** Errors that the token causes stay; the rest is the provider's. */
function unlessToken(error: unknown): never {
  if (error instanceof AppError) throw error
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    throw error
  if (error instanceof errors.JOSENotSupported) throw error
  throw failed('its keys cannot be read', error)
}

function providerFailed(error: unknown): never {
  const isRefused = error instanceof AppError && error.code === 'egress_refused'
  throw failed(isRefused ? 'connections to its host are not allowed' : 'it does not answer', error)
}

function failed(reason: string, cause?: unknown): AppError {
  const message = `the identity provider cannot be used: ${reason}`
  return new AppError('identity_provider_failed', message, { cause, fix: 'Try again, or check its address' })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
