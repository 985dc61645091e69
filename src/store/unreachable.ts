/** Explains why a database cannot be used, without its password. */
export function unreachable(databaseUrl: string, error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error
  const url = new URL(databaseUrl)
  const host = decodeURIComponent(url.hostname) || url.searchParams.get('host') || 'localhost'
  const at = `${host}:${url.port || '5432'}`
  switch ('code' in cause ? cause.code : undefined) {
    case 'ECONNREFUSED':
    case 'ENOENT': // no socket file
      return `no PostgreSQL listens on ${at}`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host ${host} is not known`
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return `${at} cannot be reached`
    case '28P01':
    case '28000':
      return `${at} does not let the user "${decodeURIComponent(url.username)}" in with this password`
    case '3D000':
      return `there is no database "${decodeURIComponent(url.pathname.slice(1))}" on ${at}`
    case '53300':
      return `${at} has no connection left`
    default:
      return /timeout/.test(cause.message)
        ? `${at} did not answer within 10 seconds`
        : `${at} cannot be used: ${cause.message}`
  }
}

// 08 connection, 57P shutdown or start, 3D000 no database, 53300 no connection left, 28 password.
const STATES = /^(08...|57P0[1-5]|3D000|53300|28000|28P01)$/
const SOCKETS = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
// Driver errors without a code.
const WORDS =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** Whether a query failed because the database was unreachable, so that a retry may succeed. */
export function isAway(error: Error): boolean {
  const { code = '', syscall } = error as { code?: unknown; syscall?: unknown }
  const told = String(code)
  if (STATES.test(told) || SOCKETS.test(told) || WORDS.test(error.message)) return true
  return told === 'ENOENT' && syscall === 'connect' // no socket file
}
