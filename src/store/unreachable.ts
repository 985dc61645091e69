/** Why a database cannot be used, in words that repeat nothing of its address but host, user and name. */
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

// By SQLSTATE: 08 is the class of connections, 57P those of a server that stops or starts, 3D000 a database that is not
// there, 53300 no connection left, 28 a password that is not taken any more.
const STATES = /^(08...|57P0[1-5]|3D000|53300|28000|28P01)$/
const SOCKETS = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
// What the driver says without a code, of a connection that went or never came.
const WORDS =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** Whether a query failed for want of a database, so that the same may work in a while. */
export function isAway(error: Error): boolean {
  const { code = '', syscall } = error as { code?: unknown; syscall?: unknown }
  const told = String(code)
  if (STATES.test(told) || SOCKETS.test(told) || WORDS.test(error.message)) return true
  return told === 'ENOENT' && syscall === 'connect' // no socket file
}
