import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
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
  spoil: Record<string, unknown>
  /** Signs with a key that it does not publish. */
  forges: boolean
  requests: string[]
  /** Acts as the browser: signs in at the address and returns with a code. */
  visit(authorizationUrl: string): Promise<URL>
  stop(): Promise<void>
}

export const CLIENT = { id: 'millrace', secret: 'the-secret-of-the-client' }

type Grant = { challenge: string; nonce: string; redirect: string; person: Claims }

export async function startIssuer(): Promise<Issuer> {
  const [published, other] = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }))
  if (!published || !other) throw new Error('no keys')
  const grants = new Map<string, Grant>()

  const server = createServer((request, response) => {
    issuer.requests.push(`${request.method} ${request.url?.split('?')[0]}`)
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer.url)
    const json = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname === '/.well-known/openid-configuration') {
      json({
        issuer: issuer.url,
        authorization_endpoint: `${issuer.url}/authorize`,
        token_endpoint: `${issuer.url}/token`,
        jwks_uri: `${issuer.url}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      })
    } else if (url.pathname === '/keys') {
      json({ keys: [{ ...published?.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] })
    } else if (url.pathname === '/authorize') {
      const code = randomUUID()
      const asked = (name: string) => url.searchParams.get(name) ?? ''
      const grant = {
        challenge: asked('code_challenge'),
        nonce: asked('nonce'),
        redirect: asked('redirect_uri'),
      }
      grants.set(code, { ...grant, person: issuer.person })
      const back = new URL(grant.redirect)
      back.searchParams.set('code', code)
      back.searchParams.set('state', asked('state'))
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
      ...issuer.spoil,
    }
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ alg: 'RS256', kid: 'one' })}.${part(payload)}`
    const { privateKey } = (issuer.forges ? other : published)!
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer: Issuer = {
    url: `http://${host}`,
    host,
    person: { sub: 'nobody' },
    spoil: {},
    forges: false,
    requests: [],
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
