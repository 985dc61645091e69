import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Claims = { sub: string; email?: string; email_verified?: boolean; name?: string }

/** An identity provider with one person at a time, whose responses a test can change. */
export type Issuer = {
  url: string
  host: string
  /** The person who signs in. */
  person: Claims
  /** Changes the claims of the next tokens, such as the nonce. */
  claimOverrides: Record<string, unknown>
  /** Signs with a key that it does not publish. */
  usesUnknownKey: boolean
  /** Whether metadata and keys answer with 503. */
  isAway: boolean
  requests: string[]
  /** A token for an application; a test may forge every part of it. */
  accessToken(claims: Record<string, unknown>, forged?: Forged): string
  /** Publishes a new key under a new id. */
  rotate(): void
  /** Acts as the browser: signs in at the address and returns with a code. */
  visit(authorizationUrl: string): Promise<URL>
  stop(): Promise<void>
}

/** `alg` may be one that the issuer does not use; `header` adds or replaces fields. */
export type Forged = {
  alg?: 'RS256' | 'HS256' | 'none'
  header?: Record<string, unknown>
  unknownKey?: boolean
}

export const CLIENT = { id: 'millrace', secret: 'the-secret-of-the-client' }

type Grant = { challenge: string; nonce: string; redirect: string; person: Claims }

export async function startIssuer(): Promise<Issuer> {
  const newKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
  const other = newKeys()
  let published = newKeys()
  let keyId = 'one'
  const grants = new Map<string, Grant>()

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    issuer.requests.push(`${request.method} ${request.url?.split('?')[0]}`)
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer.url)
    const json = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const isForKeys = /^\/(\.well-known\/.*|keys)$/.test(url.pathname)
    if (issuer.isAway && isForKeys) json({ error: 'away' }, 503)
    else if (url.pathname === '/.well-known/openid-configuration') {
      json({
        issuer: issuer.url,
        authorization_endpoint: `${issuer.url}/authorize`,
        token_endpoint: `${issuer.url}/token`,
        jwks_uri: `${issuer.url}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      })
    } else if (url.pathname === '/keys') {
      json({ keys: [{ ...published.publicKey.export({ format: 'jwk' }), kid: keyId, use: 'sig' }] })
    } else if (url.pathname === '/authorize') {
      const code = randomUUID()
      const parameter = (name: string) => url.searchParams.get(name) ?? ''
      const grant = {
        challenge: parameter('code_challenge'),
        nonce: parameter('nonce'),
        redirect: parameter('redirect_uri'),
      }
      grants.set(code, { ...grant, person: issuer.person })
      const back = new URL(grant.redirect)
      back.searchParams.set('code', code)
      back.searchParams.set('state', parameter('state'))
      response.writeHead(302, { location: back.href }).end()
    } else if (url.pathname === '/token') {
      const form = new URLSearchParams(await text(request))
      const grant = grants.get(form.get('code') ?? '')
      grants.delete(form.get('code') ?? '')
      const verifier = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      const basic = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`
      if (request.headers.authorization !== basic) return void json({ error: 'invalid_client' }, 401)
      if (!grant || grant.challenge !== verifier || grant.redirect !== form.get('redirect_uri'))
        return void json({ error: 'invalid_grant' }, 400)
      json({ token_type: 'Bearer', access_token: 'an-access-token', id_token: idToken(grant) })
    } else response.writeHead(404).end()
  }

  function idToken({ nonce, person }: Grant): string {
    const now = Math.floor(Date.now() / 1000)
    const payload = {
      iss: issuer.url,
      aud: CLIENT.id,
      iat: now,
      exp: now + 300,
      nonce,
      ...person,
      ...issuer.claimOverrides,
    }
    return signed(payload, { unknownKey: issuer.usesUnknownKey })
  }

  function signed(payload: object, { alg = 'RS256', header = {}, unknownKey = false }: Forged): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${part({ alg, kid: keyId, ...header })}.${part(payload)}`
    if (alg === 'none') return `${text}.`
    const { privateKey } = unknownKey ? other : published
    return `${text}.${alg === 'HS256' ? hmac(text, published.publicKey) : rsa(text, privateKey)}`
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer: Issuer = {
    url: `http://${host}`,
    host,
    person: { sub: 'nobody' },
    claimOverrides: {},
    usesUnknownKey: false,
    isAway: false,
    requests: [],
    accessToken(claims, forged = {}) {
      const now = Math.floor(Date.now() / 1000)
      return signed({ iss: issuer.url, iat: now, exp: now + 300, ...claims }, forged)
    },
    rotate() {
      published = newKeys()
      keyId = randomUUID()
    },
    async visit(authorizationUrl) {
      const response = await fetch(authorizationUrl, { redirect: 'manual' })
      return new URL(response.headers.get('location') ?? '')
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return issuer
}

function rsa(text: string, key: KeyObject): string {
  return sign('sha256', Buffer.from(text), key).toString('base64url')
}

/** An attack: the public key as the secret of a symmetric signature. */
function hmac(text: string, key: KeyObject): string {
  return createHmac('sha256', key.export({ type: 'spki', format: 'pem' }))
    .update(text)
    .digest('base64url')
}
