import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

// The default of PostgreSQL.
const ITERATIONS = 4096

/** The stored form of a password (RFC 5803), so that no statement or server log contains it. Only for ASCII. */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  const serverKey = hmac('Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
