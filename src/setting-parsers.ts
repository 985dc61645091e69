import { isIP } from 'node:net'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { PASSWORD_LENGTH } from './accounts/password-length.ts'
import { type AllowedHost, parseAllowedHosts } from './connectors/egress/allowed-hosts.ts'
import { AppError } from './errors.ts'
import { isProvider, PROVIDERS } from './pipeline/models/providers.ts'
import { parseMasterKeys } from './store/master-key-list.ts'
import type { MasterKey } from './store/vault.ts'

// Each parses the text of a variable. A message completes "NAME must be …", or begins with the name.

export const hostName = z
  .string()
  .refine((host) => isIP(host) !== 0 || isHostName(host), 'an address or a host name')

export const postgresUrl = z
  .string()
  .refine((url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url), {
    error: 'a postgresql:// address',
    abort: true,
  })
  .refine(isDecodable, 'an address in which every % begins an escape; write % in a password as %25')

export const path = z.string().transform((text) => resolve(text))
export const email = z.email('an e-mail address')
export const httpUrl = z.url({ protocol: /^https?$/, error: 'an http(s) address' })

const passwordRule = `${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters long`
export const password = z
  .string()
  .min(PASSWORD_LENGTH.min, passwordRule)
  .max(PASSWORD_LENGTH.max, passwordRule)

/** Sent in a header, which limits its characters. */
export function headerText(min: number) {
  return z
    .string()
    .regex(
      new RegExp(`^[\\x21-\\x7e]{${min},256}$`),
      `${min} to 256 printable ASCII characters without spaces`,
    )
}

export function wholeNumber(min: number, max: number) {
  const message = `a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,13}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message)
}

export const masterKeys = z.string().transform((text, context): MasterKey[] => {
  const parsed = parseMasterKeys(text.split(','))
  if ('keys' in parsed) return parsed.keys
  context.addIssue(parsed.problem)
  return z.NEVER
})

export const allowedHosts = z.string().transform((text, context): AllowedHost[] => {
  try {
    return parseAllowedHosts(text)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    context.addIssue(error.message)
    return z.NEVER
  }
})

/** A typing error in a provider would refuse every model. */
export const modelPatterns = z
  .string()
  .transform((text) => text.split(',').flatMap((entry) => entry.trim() || []))
  .refine(
    (patterns) => patterns.every(isModelPattern),
    `patterns such as openai/gpt-4o*, comma-separated; providers are ${PROVIDERS.join(', ')}`,
  )

/** Names are refused: trust must not depend on DNS. */
export const proxyNetworks = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .refine(
    (entries) => entries.every(isNetwork),
    'addresses such as 10.0.0.5 or networks such as 10.0.0.0/8, comma-separated',
  )

export const publicUrls = z.string().transform((text, context): URL[] => {
  const urls = text.split(',').map((entry) => URL.parse(entry.trim()))
  const hosts = new Set(urls.map((url) => url?.hostname))
  if (urls.every(isPublicUrl) && hosts.size === urls.length) return urls
  context.addIssue(
    'addresses such as https://millrace.example.com or https://tools.example.com/millrace, comma-separated, one per host name',
  )
  return z.NEVER
})

function isHostName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9_]([a-z0-9_-]*)(\.[a-z0-9_]([a-z0-9_-]*))*\.?$/i.test(text)
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

function isModelPattern(entry: string): boolean {
  const provider = /^([a-z_*]+)\/\S+$/.exec(entry)?.[1]
  return provider !== undefined && (provider.includes('*') || isProvider(provider))
}

/** A /0 network would let every client choose its own address. */
function isNetwork(entry: string): boolean {
  if (ipaddr.isValidCIDR(entry)) return !entry.endsWith('/0')
  return isIP(entry) !== 0 && !entry.includes('%')
}

/** The path is the one that a proxy removes; it becomes part of the page and of cookies. */
function isPublicUrl(url: URL | null): url is URL {
  return (
    /^https?:$/.test(url?.protocol ?? '') &&
    url?.href === `${url?.origin}${url?.pathname}` &&
    /^(\/[A-Za-z0-9._~-]+)*\/?$/.test(url.pathname)
  )
}
