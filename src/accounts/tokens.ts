import { createHash, randomBytes } from 'node:crypto'

/** The token of a link that grants access: 32 random bytes, stored only as a hash. */
export function newToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashOf(token) }
}

/** Plain SHA-256: 256 random bits need no slow hash. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
