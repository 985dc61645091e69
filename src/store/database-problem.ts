/** Explains why a database cannot be used, without its password. */
export function databaseProblem(databaseUrl: string, error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error
  const url = new URL(databaseUrl)
  const host = decodeURIComponent(url.hostname) || url.searchParams.get('host') || 'localhost'
  const address = `${host}:${url.port || '5432'}`
  switch ('code' in cause ? cause.code : undefined) {
    case 'ECONNREFUSED':
    case 'ENOENT': // no socket file
      return `no PostgreSQL listens on ${address}`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host ${host} is unknown`
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return `${address} cannot be reached`
    case '28P01':
    case '28000':
      return `${address} rejected the user "${decodeURIComponent(url.username)}" or the password`
    case '3D000':
      return `there is no database "${decodeURIComponent(url.pathname.slice(1))}" on ${address}`
    case '53300':
      return `${address} has no connection left`
    default:
      return /timeout/.test(cause.message)
        ? `${address} did not answer within 10 seconds`
        : `${address} cannot be used: ${cause.message}`
  }
}

// 08 connection, 57P shutdown or start, 3D000 no database, 53300 no connection left, 28 password.
const SQL_STATES = /^(08...|57P0[1-5]|3D000|53300|28000|28P01)$/
const SOCKET_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
// Driver errors without a code.
const DRIVER_MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/

/** Whether the database did not answer a query in time. */
export function isQueryTimeout({ message }: Error): boolean {
  return message === 'Query read timeout'
}

/** Whether a query failed because the database was unreachable, so that a retry may succeed. */
export function isDatabaseUnreachable(error: Error): boolean {
  const { code = '', syscall } = error as { code?: unknown; syscall?: unknown }
  const text = String(code)
  if (SQL_STATES.test(text) || SOCKET_CODES.test(text) || DRIVER_MESSAGES.test(error.message)) return true
  if (isQueryTimeout(error)) return true
  return text === 'ENOENT' && syscall === 'connect' // no socket file
}
