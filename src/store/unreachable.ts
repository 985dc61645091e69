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
