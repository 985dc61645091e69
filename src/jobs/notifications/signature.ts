import { createHmac, randomBytes } from 'node:crypto'

/** Standard Webhooks: a secret is this prefix and base64. */
const PREFIX = 'whsec_'
const NEW_SECRET_BYTES = 32
export const SECRET_BYTES = { min: 24, max: 75 }

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(NEW_SECRET_BYTES).toString('base64')
}

/** The secret with its prefix, or null if it is not base64 of the right length. */
export function parseWebhookSecret(text: string): string | null {
  const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length < SECRET_BYTES.min || bytes.length > SECRET_BYTES.max) return null
  return PREFIX + bytes.toString('base64')
}

type WebhookMessage = { id: string; body: string; sentAt: Date }

/** One signature per secret, so that a receiver may hold the old or the new one. */
export function webhookHeaders({ id, body, sentAt }: WebhookMessage, secrets: string[]) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
