import { createHash, randomBytes } from 'node:crypto'

/** For links that let somebody in: 32 random bytes, of which only the hash is stored. */
export function newToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashOf(token) }
}

/** Plain SHA-256: there is nothing to guess in 256 random bits, so nothing has to be slow. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
